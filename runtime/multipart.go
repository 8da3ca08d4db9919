package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"
	"strings"
)

// Part is one part of a multipart body, with a replayability of its own.
type Part struct {
	Name     string
	Filename string // empty: the part is no file
	Body     Body
}

// Multipart joins parts to one multipart/form-data body (RFC 7578). It is as
// replayable as its weakest part (RULE-BODY-WEAKEST).
func Multipart(parts ...Part) Body {
	return multipartOf("multipart/form-data", parts)
}

func multipartOf(mediaType string, parts []Part) Body {
	boundary := multipart.NewWriter(io.Discard).Boundary()
	body := Body{
		replayability: Replayable,
		contentType:   mediaType + "; boundary=" + boundary,
		length:        -1,
		multipart:     &multipartBody{parts: parts, boundary: boundary},
	}
	for _, part := range parts {
		body.replayability = max(body.replayability, part.Body.replayability)
	}
	return body
}

// multipartBody is what becomes the data, the opener or the reader of a Body.
type multipartBody struct {
	parts    []Part
	boundary string
	err      error // of a form that has no parts
}

// join encodes the parts that are values, frames all of them, and makes b a body
// of its replayability. Bodies may be used by several calls at once, so parts
// are copied before they are encoded.
func (m *multipartBody) join(b *Body) error {
	if m.err != nil {
		return m.err
	}
	heads, tail, err := m.frames()
	if err != nil {
		return err
	}
	contents := make([]Body, len(m.parts))
	for i, part := range m.parts {
		contents[i] = part.Body
		if err := contents[i].encode(); err != nil {
			return fmt.Errorf("part %q: %w", part.Name, err)
		}
	}
	open := func() (io.ReadCloser, error) { return openParts(heads, contents, tail) }
	switch b.replayability {
	case Reopenable:
		b.open = open
		return nil
	case OneShot:
		b.reader, err = open()
		return err
	}
	whole, err := open()
	if err != nil {
		return err
	}
	b.data, err = io.ReadAll(whole)
	b.length = int64(len(b.data))
	return err
}

// frames are what stands before each part, and after the last.
func (m *multipartBody) frames() (heads []string, tail string, err error) {
	var written bytes.Buffer
	w := multipart.NewWriter(&written)
	if err := w.SetBoundary(m.boundary); err != nil {
		return nil, "", err
	}
	next := func() string {
		defer written.Reset()
		return written.String()
	}
	for _, part := range m.parts {
		header := textproto.MIMEHeader{"Content-Disposition": {disposition(part)}}
		if part.Body.contentType != "" {
			header.Set("Content-Type", part.Body.contentType)
		}
		if strings.ContainsAny(part.Body.contentType, "\r\n") {
			return nil, "", fmt.Errorf("part %q: the content type has a line break", part.Name)
		}
		if _, err := w.CreatePart(header); err != nil {
			return nil, "", err
		}
		heads = append(heads, next())
	}
	err = w.Close()
	return heads, next(), err
}

// disposition leaves the escaping of names to the standard library, which has a
// function for files only.
func disposition(part Part) string {
	file := multipart.FileContentDisposition(part.Name, part.Filename)
	if part.Filename == "" {
		return strings.TrimSuffix(file, `; filename=""`)
	}
	return file
}

// openParts opens all contents before the first byte is read, so that one which
// does not open fails the attempt before it is sent.
func openParts(heads []string, contents []Body, tail string) (_ io.ReadCloser, err error) {
	var whole joined
	defer func() {
		if err != nil {
			err = errors.Join(err, whole.Close())
		}
	}()
	var readers []io.Reader
	for i := range contents {
		content, err := contents[i].attempt()
		if err != nil {
			return nil, err
		}
		readers = append(readers, strings.NewReader(heads[i]))
		if content != nil {
			readers = append(readers, content)
			whole.closers = append(whole.closers, content)
		}
	}
	whole.Reader = io.MultiReader(append(readers, strings.NewReader(tail))...)
	return &whole, nil
}

// joined reads parts one after the other and closes them together.
type joined struct {
	io.Reader
	closers []io.Closer
}

func (j *joined) Close() error {
	var errs []error
	for _, c := range j.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
