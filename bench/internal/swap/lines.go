package swap

import (
	"bytes"
	"io"

	"github.com/mcptool-go/mcptool/internal/measure/process"
)

// eachLine calls do with each line that is not blank, without space around it. It returns nil at the end, or
// [bufio.ErrTooLong].
func eachLine(in io.Reader, do func(line []byte)) error {
	lines := process.Lines(in, maxMessage, true)
	for lines.Scan() {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 {
			do(bytes.Clone(line))
		}
	}
	return lines.Err()
}
