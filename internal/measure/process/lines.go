package process

import (
	"bufio"
	"bytes"
	"io"
)

// Lines returns a scanner of the lines of r, each of less than most bytes. A last line without a line break is a line only
// if unfinished is set.
func Lines(r io.Reader, most int, unfinished bool) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), most)
	lines.Split(splitLines(unfinished))
	return lines
}

// splitLines returns a function that splits as [bufio.ScanLines], but searches each byte once: that one searches a large
// line from the beginning after each read.
func splitLines(unfinished bool) bufio.SplitFunc {
	searched := 0
	return func(data []byte, atEOF bool) (int, []byte, error) {
		i := bytes.IndexByte(data[searched:], '\n')
		switch {
		case i >= 0:
			end := searched + i
			searched = 0
			return end + 1, bytes.TrimSuffix(data[:end], []byte("\r")), nil
		case atEOF && unfinished && len(data) > 0:
			searched = 0
			return len(data), bytes.TrimSuffix(data, []byte("\r")), nil
		}
		searched = len(data)
		return 0, nil, nil
	}
}
