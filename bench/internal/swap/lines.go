package swap

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// lines reads lines of at most maxMessage bytes. Unlike a [bufio.Scanner] it searches each byte only once, however long a
// line is.
type lines struct{ in *bufio.Reader }

func newLines(in io.Reader) lines { return lines{bufio.NewReaderSize(in, 64<<10)} }

// next returns the next line without its end, which the caller owns. The error is io.EOF at the end, perhaps with a line
// that was cut off, or [bufio.ErrTooLong].
func (l lines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxMessage:
			return nil, bufio.ErrTooLong
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

// each calls do for each line that is not blank, without space around it. It returns nil at the end.
func (l lines) each(do func(line []byte)) error {
	for {
		line, err := l.next()
		if line = bytes.TrimSpace(line); len(line) > 0 {
			do(line)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
