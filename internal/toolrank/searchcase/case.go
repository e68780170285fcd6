package searchcase

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/toolrank"
)

// The limits of a file of cases.
const (
	MaxBytes = 1 << 20
	MaxCases = 10_000
)

// maxTools is the maximum number of accepted tools of a case.
const maxTools = 100

// maxMistakes bounds how many mistakes one error describes.
const maxMistakes = 10

// Case is a query with the tools that are right for it.
type Case struct {
	Query    string
	Tools    []string // names; one of them has to be found
	Position string   // file:line; empty for a case from Go code
}

// ReadFile reads the cases in a file of at most [MaxBytes]. The error describes up to ten mistakes, with their lines.
func ReadFile(path string) ([]Case, error) {
	f, err := os.Open(path) //nolint:gosec // the path is an argument of the user
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read-only
	return Read(path, f)
}

// Read reads cases. The name of the file is for errors and positions.
//
// A line has a query, a tab, and the names of the accepted tools, separated by commas. Empty lines and lines that begin
// with # are skipped. Lines end with LF or CR LF, and the text may begin with a byte order mark.
func Read(name string, r io.Reader) ([]Case, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > MaxBytes:
		return nil, fmt.Errorf("%s: more than %d bytes; a file of cases has at most that", name, MaxBytes)
	}
	var cases []Case
	var mistakes mistakes
	lines := map[string]int{}
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		number++
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c, err := parse(line)
		if err == nil && lines[c.Query] > 0 {
			err = fmt.Errorf("the query is also in line %d; list all accepted tools there", lines[c.Query])
		}
		c.Position = fmt.Sprintf("%s:%d", name, number)
		if err != nil {
			mistakes.add(fmt.Errorf("%s: %w", c.Position, err))
			continue
		}
		lines[c.Query] = number
		cases = append(cases, c)
	}
	if err := mistakes.err(); err != nil {
		return nil, err
	}
	if len(cases) > MaxCases {
		return nil, fmt.Errorf("%s: %d cases; a file has at most %d", name, len(cases), MaxCases)
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s: no cases; a line is a query, a tab, and the names of the accepted tools", name)
	}
	return cases, nil
}

// parse parses a line.
func parse(line string) (Case, error) {
	query, names, ok := strings.Cut(line, "\t")
	c := Case{Query: strings.TrimSpace(query)}
	switch {
	case !utf8.ValidString(line):
		return c, errors.New("invalid UTF-8")
	case !ok:
		return c, fmt.Errorf("no tab in %s; write a query, a tab, and the names of the accepted tools", quote(line))
	case strings.Contains(names, "\t"):
		return c, errors.New("more than one tab; separate names of tools with commas")
	}
	for name := range strings.SplitSeq(names, ",") {
		c.Tools = append(c.Tools, strings.TrimSpace(name))
	}
	return c, c.validate()
}

// validate returns an error if the case has no query that a search can use, or no proper list of tools.
func (c *Case) validate() error {
	if err := CheckQuery(c.Query); err != nil {
		return err
	}
	switch n := len(c.Tools); {
	case n == 0:
		return errors.New("no accepted tools")
	case n > maxTools:
		return fmt.Errorf("%d accepted tools; a case has at most %d", n, maxTools)
	}
	for i, name := range c.Tools {
		switch {
		case name == "":
			return errors.New("the name of an accepted tool is empty")
		case slices.Contains(c.Tools[:i], name):
			return fmt.Errorf("%s is listed twice", quote(name))
		}
	}
	return nil
}

// CheckQuery returns an error for a query that has no words, or is longer than what a search uses.
func CheckQuery(query string) error {
	switch {
	case strings.TrimSpace(query) == "":
		return errors.New("the query is empty")
	case len(query) > toolrank.MaxQueryBytes:
		return fmt.Errorf("the query has %d bytes; a search uses at most %d", len(query), toolrank.MaxQueryBytes)
	case len(wordsOf(query)) == 0:
		return fmt.Errorf("the query %s has no words; single letters and signs are not words", quote(query))
	}
	return nil
}

// wordsOf returns the words of a query, as a tool matches them that has them all.
func wordsOf(query string) []toolrank.Word {
	matches := toolrank.New([]toolrank.Tool{{Title: query}}).Search(query, 1, nil)
	if len(matches) == 0 {
		return nil
	}
	return matches[0].Words
}

// mistakes collects errors, of which the first ones are described.
type mistakes struct {
	list []error
	more int
}

func (m *mistakes) add(err error) {
	if !m.isFull() {
		m.list = append(m.list, err)
	} else {
		m.more++
	}
}

// isFull reports whether further mistakes are only counted.
func (m *mistakes) isFull() bool { return len(m.list) == maxMistakes }

// err returns all mistakes as one error, or nil.
func (m *mistakes) err() error {
	if m.more == 0 {
		return errors.Join(m.list...)
	}
	return errors.Join(append(m.list, fmt.Errorf("and %d more mistakes", m.more))...)
}
