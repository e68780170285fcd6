package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
)

// taskLines let tasks differ: their ids and times.
const taskLines = "# Each task has another id and other times.\n%ignore **.taskId\n" +
	"%ignore *.createdAt\n%ignore *.lastUpdatedAt\n%ignore *.task.createdAt\n%ignore *.task.lastUpdatedAt\n\n"

// A Writer writes a transcript while the session runs. After each call the file is complete. It is not safe for
// concurrent use.
type Writer struct {
	w     io.Writer
	edit  func(message []byte) []byte
	size  int
	tasks bool // taskLines are written
}

// errFull is the error of a message that does not fit.
var errFull = fmt.Errorf("the transcript would have more than %d MiB", MaxSize>>20)

// NewWriter writes the beginning of a transcript, with comments and directives, each a line. Edit removes secrets from the
// messages, which stay JSON; nil removes nothing.
func NewWriter(w io.Writer, edit func(message []byte) []byte, lines ...string) (*Writer, error) {
	t := &Writer{w: w, edit: edit}
	text := header + "\n"
	for _, line := range lines {
		text += printable(strings.Join(strings.Fields(line), " ")) + "\n"
	}
	return t, t.put([]byte(text + "\n"))
}

// Write writes a message, which must be valid. If the file would be larger than [MaxSize], it returns an error and writes
// nothing.
func (w *Writer) Write(toServer bool, message []byte) error {
	if w.size+len(message) > MaxSize {
		return errFull
	}
	if w.edit != nil {
		message = w.edit(message)
	}
	text := appendMessage(nil, Entry{ToServer: toServer, Message: message})
	if !w.tasks && !toServer && bytes.Contains(message, []byte(`"taskId"`)) {
		w.tasks = true
		text = append([]byte(taskLines), text...)
	}
	return w.put(append(text, '\n'))
}

// put writes text at once, so that a signal does not cut it.
func (w *Writer) put(text []byte) error {
	if w.size+len(text) > MaxSize {
		return errFull
	}
	w.size += len(text)
	_, err := w.w.Write(text)
	return err
}

// Append appends the transcript as a file. Parse returns the same entries.
func (t *Transcript) Append(dst []byte) []byte {
	for _, e := range t.Entries {
		if e.Message == nil {
			dst = append(append(dst, e.Text...), '\n')
		} else {
			dst = appendMessage(dst, e)
		}
	}
	return dst
}

// appendMessage appends a message as indented JSON. Characters that are not printable are escaped, which keeps its value.
func appendMessage(dst []byte, e Entry) []byte {
	arrow := "<- "
	if e.ToServer {
		arrow = "-> "
	}
	var indented bytes.Buffer
	_ = json.Indent(&indented, e.Message, "", "  ") // it is valid
	return append(append(append(dst, arrow...), printable(indented.String())...), '\n')
}

// printable returns text with the characters that are not printable as escapes of JSON.
func printable(text string) string {
	if strings.IndexFunc(text, isHidden) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if !isHidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// isHidden reports whether a character is not visible, or changes the text around it.
func isHidden(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
