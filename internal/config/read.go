package config

import (
	"errors"
	"io"
	"os"
)

// largest is the most that a configuration may have, in bytes: it is written by
// hand.
const largest = 1 << 20

var errTooLarge = errors.New("is larger than 1 MiB")

func read(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, largest+1))
	if err == nil && len(data) > largest {
		err = errTooLarge
	}
	return data, err
}
