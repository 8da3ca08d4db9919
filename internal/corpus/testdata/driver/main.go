// The driver calls the methods of generated clients by name, with arguments that
// are JSON, and prints what they return. The variable clients, in a file beside
// this one, tells which clients there are.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"

	"github.com/retrygen/retrygen/runtime"
)

// call is one line of the script.
type call struct {
	Client    string
	Operation string                     // for the server
	Method    string                     // of the client
	Args      []json.RawMessage          // path parameters
	Params    map[string]json.RawMessage // by the names of fields
	Body      json.RawMessage
}

// result is one line of the output.
type result struct {
	Operation string
	Value     json.RawMessage
	Error     string
}

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var next call
		if err := in.Decode(&next); err == io.EOF {
			return
		} else if err != nil {
			panic(err)
		}
		r := result{Operation: next.Operation}
		client, err := clients[next.Client](os.Args[1])
		if err == nil {
			r.Value, err = do(reflect.ValueOf(client).MethodByName(next.Method), next)
		}
		if err != nil {
			r.Error = err.Error()
		}
		if err := out.Encode(r); err != nil {
			panic(err)
		}
	}
}

// of builds a client with every credential that it can have.
func of[Config, Client any](build func(Config) (Client, error)) func(string) (any, error) {
	return func(baseURL string) (any, error) {
		var config Config
		v := reflect.ValueOf(&config).Elem()
		v.FieldByName("BaseURL").SetString(baseURL)
		for i := range v.NumField() {
			if v.Field(i).Type() == reflect.TypeFor[runtime.Credential]() {
				v.Field(i).Set(reflect.ValueOf(runtime.Secret("secret")))
			}
		}
		return build(config)
	}
}

// do makes a call. Its arguments are ctx, the path parameters, params if there are
// any, the body if there is one, and options.
func do(method reflect.Value, c call) (json.RawMessage, error) {
	in := []reflect.Value{reflect.ValueOf(context.Background())}
	next := func() reflect.Value { return reflect.New(method.Type().In(len(in))).Elem() }
	for _, arg := range c.Args {
		v := next()
		if err := set(v, arg); err != nil {
			return nil, fmt.Errorf("argument %d: %w", len(in), err)
		}
		in = append(in, v)
	}
	if c.Params != nil {
		v := next()
		for name, value := range c.Params {
			if err := set(v.FieldByName(name), value); err != nil {
				return nil, fmt.Errorf("parameter %s: %w", name, err)
			}
		}
		in = append(in, v)
	}
	if c.Body != nil {
		v := next()
		if err := set(v, c.Body); err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
		in = append(in, v)
	}
	in = append(in, reflect.ValueOf(runtime.Header("X-Operation", c.Operation)), reflect.ValueOf(runtime.MaxAttempts(1)))
	out := method.Call(in)
	if err, _ := out[len(out)-1].Interface().(error); err != nil || len(out) == 1 {
		return nil, err
	}
	return value(out[0])
}

func set(v reflect.Value, data json.RawMessage) error {
	if v.Type() == reflect.TypeFor[runtime.Body]() {
		v.Set(reflect.ValueOf(runtime.Bytes("application/octet-stream", data)))
		return nil
	}
	return json.Unmarshal(data, v.Addr().Interface())
}

// value is a result as JSON; a stream is read to its end.
func value(v reflect.Value) (json.RawMessage, error) {
	if stream, ok := v.Interface().(io.ReadCloser); ok {
		defer func() { _ = stream.Close() }()
		data, err := io.ReadAll(stream)
		if err != nil {
			return nil, err
		}
		return json.Marshal(string(data))
	}
	return json.Marshal(unwrapped(v).Interface())
}

// unwrapped is the body in a result that has a field for each status.
func unwrapped(v reflect.Value) reflect.Value {
	if s := reflect.Indirect(v); s.Kind() == reflect.Struct && s.FieldByName("StatusCode").IsValid() {
		for i := range s.NumField() {
			if f := s.Field(i); s.Type().Field(i).Name != "StatusCode" && !f.IsZero() {
				return f
			}
		}
	}
	return v
}
