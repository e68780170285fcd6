package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

// Transcript is one conversation.
type Transcript struct {
	// Name is the path of the file, without extension.
	Name string
	// Prose is the text before the first directive.
	Prose string
	// Server configures the server, from %server lines.
	Server map[string]string

	steps []step
}

// step is one directive.
type step struct {
	line     int
	verb     verb
	text     []byte        // sendLine
	expected any           // expect and expectAny: decoded JSON
	pause    time.Duration // wait
}

type verb uint8

const (
	sendLine verb = iota
	expect
	expectAny // one of a group, in any order
	expectNothing
	wait
	closeSend
	expectEnd
)

// Load parses all transcripts (files that end in .txt) below root. A file with a line %revisions is one for each of them.
func Load(fsys fs.FS) ([]*Transcript, error) {
	var all []*Transcript
	err := fs.WalkDir(fsys, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(file) != ".txt" {
			return err
		}
		text, err := fs.ReadFile(fsys, file)
		if err != nil {
			return err
		}
		for name, text := range variants(strings.TrimSuffix(file, ".txt"), string(text)) {
			t, err := Parse(name, text)
			if err != nil {
				return err
			}
			all = append(all, t)
		}
		return nil
	})
	return all, err
}

// Parse reads one transcript.
func Parse(name, text string) (*Transcript, error) {
	t := &Transcript{Name: name, Server: map[string]string{}}
	p := parser{t: t, let: strings.NewReplacer()}
	for i, line := range strings.Split(text, "\n") {
		p.line = i + 1
		if err := p.directive(strings.TrimRight(line, " \r")); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, p.line, err)
		}
	}
	if len(t.steps) == 0 {
		return nil, fmt.Errorf("%s: no directives", name)
	}
	return t, nil
}

// Sent returns the lines that the client sends, as they are written: placeholders for parts of earlier answers are
// not replaced. A fuzz target of messages uses them as seeds.
func (t *Transcript) Sent() (lines [][]byte) {
	for _, s := range t.steps {
		if s.verb == sendLine {
			lines = append(lines, s.text)
		}
	}
	return lines
}

// parser is the state of one Parse.
type parser struct {
	t     *Transcript
	line  int
	begun bool // the prose is over
	pairs []string
	let   *strings.Replacer
}

// directive reads one line.
func (p *parser) directive(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	rest = p.let.Replace(strings.TrimSpace(rest))
	switch word {
	case "->":
		return p.add(step{verb: sendLine, text: []byte(rest)})
	case "=>":
		text, err := strconv.Unquote(rest)
		if err != nil {
			return fmt.Errorf("not a Go string: %s", rest)
		}
		return p.add(step{verb: sendLine, text: []byte(text)})
	case "<-", "<~":
		return p.expect(word, rest)
	case "..":
		pause, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		return p.add(step{verb: wait, pause: pause})
	case "-|":
		return p.add(step{verb: closeSend})
	case "<-|":
		return p.add(step{verb: expectEnd})
	case "%server":
		p.begun = true
		for setting := range strings.FieldsSeq(rest) {
			key, value, _ := strings.Cut(setting, "=")
			p.t.Server[key] = value
		}
		return nil
	case "%let":
		p.begun = true
		name, text, _ := strings.Cut(rest, " ")
		p.pairs = append(p.pairs, "${"+name+"}", text)
		p.let = strings.NewReplacer(p.pairs...)
		return nil
	}
	if !p.begun {
		p.t.Prose += line + "\n"
		return nil
	}
	if line != "" && !strings.HasPrefix(line, "#") {
		return fmt.Errorf("not a directive: %q", line)
	}
	return nil
}

// expect reads what the server should send.
func (p *parser) expect(word, rest string) error {
	if rest == "nothing" {
		return p.add(step{verb: expectNothing})
	}
	value, err := decode([]byte(rest))
	if err != nil {
		return fmt.Errorf("not JSON: %w: %s", err, rest)
	}
	if word == "<~" {
		return p.add(step{verb: expectAny, expected: value})
	}
	return p.add(step{verb: expect, expected: value})
}

func (p *parser) add(s step) error {
	p.begun = true
	s.line = p.line
	p.t.steps = append(p.t.steps, s)
	return nil
}

// decode reads one JSON value and keeps numbers as they are written.
func decode(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, fmt.Errorf("text after the value: %s", text)
	}
	return value, nil
}
