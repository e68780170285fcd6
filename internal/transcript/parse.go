package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// version is the version of the format, and header the first line of a file.
const (
	version = "1"
	header  = "%transcript " + version
)

// MaxSize is the maximum size of a transcript, in bytes.
const MaxSize = 64 << 20

// maxDepth is the maximum nesting depth of a message.
const maxDepth = 512

// A Transcript is a recorded session.
type Transcript struct {
	Entries []Entry
	// Cut is the line of a last message or directive that is incomplete and not among the entries; 0 if there is none.
	Cut int
}

// An Entry is a message, or a line with a comment, a directive or nothing.
type Entry struct {
	// Line is the number of the first line in the file; 0 if it is not in the file.
	Line int
	// Text is the line if it is not a message.
	Text string
	// ToServer is whether the client has sent the message.
	ToServer bool
	// Message is a JSON-RPC message without white space; nil if the entry is Text.
	Message json.RawMessage
}

// Read reads the transcript in a file. Errors name the file and the line.
func Read(file string) (*Transcript, error) {
	f, err := os.Open(file) //nolint:gosec // the user's file
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, err
	}
	t, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

// Parse reads a transcript. Errors name the line.
func Parse(data []byte) (*Transcript, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("it has more than %d MiB", MaxSize>>20)
	}
	lines := strings.SplitAfter(strings.TrimPrefix(string(data), "\ufeff"), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if err := checkHeader(lines); err != nil {
		return nil, err
	}
	t := &Transcript{}
	for i := 0; i < len(lines); {
		e, n, err := parseEntry(lines[i:])
		switch e.Line = i + 1; {
		case errors.Is(err, errCut):
			t.Cut = e.Line
			return t, nil
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", e.Line+n, err)
		}
		t.Entries = append(t.Entries, e)
		i += n
	}
	return t, nil
}

func checkHeader(lines []string) error {
	first := ""
	if len(lines) > 0 {
		first = strings.TrimSpace(lines[0])
	}
	switch number, ok := strings.CutPrefix(first, "%transcript "); {
	case !ok:
		return fmt.Errorf("line 1: it is not a transcript, whose first line is %s", header)
	case number != version:
		return fmt.Errorf("line 1: version %.20q of the format is unknown here, which reads version %s; a newer version of this program may read it", number, version)
	default:
		return nil
	}
}

// errCut means that the file ends within an entry.
var errCut = errors.New("the file ends within an entry")

// parseEntry reads the first entry of lines, and returns its number of lines, or the index of the line with an error.
func parseEntry(lines []string) (e Entry, n int, err error) {
	line := strings.TrimRight(lines[0], " \t\r\n")
	arrow, _, _ := strings.Cut(line, " ")
	isLast := len(lines) == 1 && !strings.HasSuffix(lines[0], "\n")
	switch {
	case arrow == "->" || arrow == "<-":
		for n = 1; n < len(lines) && !begins(lines[n]); n++ {
		}
		e.ToServer = arrow == "->"
		text, isLast := strings.Join(lines[:n], "")[len(arrow):], n == len(lines)
		var at int
		if e.Message, at, err = parseMessage(text, isLast); err != nil {
			return e, strings.Count(text[:at], "\n"), err
		}
		return e, n, nil
	case isLast && (line == "-" || line == "<"):
		return e, 0, errCut
	}
	e.Text = line
	if err = checkLine(line); err == nil {
		return e, 1, nil
	}
	if isLast && line[0] == '%' {
		err = errCut
	}
	return e, 0, err
}

// begins reports whether a line begins an entry. A file may be cut in the white space before a line of a message.
func begins(line string) bool {
	isWhole := strings.HasSuffix(line, "\n")
	if line = strings.TrimRight(line, " \t\r\n"); line == "" {
		return isWhole
	}
	return line[0] == '#' || line[0] == '%' || strings.HasPrefix(line, "->") || strings.HasPrefix(line, "<-")
}

// checkLine checks a line that is not a message.
func checkLine(line string) error {
	directive, argument, _ := strings.Cut(line, " ")
	argument = strings.TrimSpace(argument)
	switch {
	case line == "" || line[0] == '#' || directive == "%transcript":
		return nil
	case directive == "%ignore":
		_, err := parsePath(argument)
		return err
	case directive == "%secret" && argument != "":
		return nil
	case line[0] == '%':
		return fmt.Errorf("unknown directive %.40q; there are %%ignore PATH and %%secret NAME", line)
	default:
		return fmt.Errorf("%.40q is neither a message after -> or <-, nor a comment after #, nor a directive after %%", line)
	}
}

// parseMessage reads a message, and returns the offset of an error. If it is the last entry of a file and incomplete, the
// error is errCut.
func parseMessage(text string, isLast bool) (message json.RawMessage, at int, err error) {
	var m envelope.Message
	if err := m.Read([]byte(text), maxDepth); err != nil {
		if syntax, ok := errors.AsType[*rawjson.SyntaxError](err); ok {
			at, err = min(syntax.Offset, len(text)), errors.New(syntax.Problem)
			var value json.RawMessage
			if end := json.NewDecoder(strings.NewReader(text)).Decode(&value); isLast && (errors.Is(end, io.ErrUnexpectedEOF) || errors.Is(end, io.EOF)) {
				return nil, 0, errCut
			}
		}
		return nil, at, fmt.Errorf("the message is not JSON: %w", err)
	}
	if m.Kind == envelope.Malformed {
		return nil, 0, fmt.Errorf("the message is not one of JSON-RPC: %s", cmp.Or(m.Flaw, "it is neither a request nor a response"))
	}
	var compact bytes.Buffer
	err = json.Compact(&compact, []byte(text))
	return compact.Bytes(), 0, err
}

// directives returns the arguments of the lines that begin with a directive.
func (t *Transcript) directives(name string) (arguments []string) {
	for _, e := range t.Entries {
		if directive, argument, _ := strings.Cut(e.Text, " "); directive == name {
			arguments = append(arguments, strings.TrimSpace(argument))
		}
	}
	return arguments
}
