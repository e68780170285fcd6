package searchcase

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Summary returns how many cases there are and how many of them found an accepted tool, in a line.
func (r *Report) Summary() string {
	cases := "cases"
	if r.Cases == 1 {
		cases = "case"
	}
	return fmt.Sprintf("%d %s: an accepted tool is the first in %d, among the first 5 in %d, among the first 10 in %d", r.Cases, cases, r.First, r.Five, r.Ten)
}

// Text explains a failure in lines. It has no control characters, except for the line breaks.
func (f *Failure) Text() string {
	var b strings.Builder
	if f.Position != "" {
		b.WriteString(plain(f.Position) + ": ")
	}
	b.WriteString(quote(f.Query) + "\n")
	for i := range f.Accepted {
		f.Accepted[i].write(&b)
	}
	if len(f.Higher) > 0 {
		title := "  ranked higher:\n"
		if f.Accepted[0].Rank == 0 {
			title = "  found instead:\n"
		}
		b.WriteString(title)
	}
	for _, t := range f.Higher {
		fmt.Fprintf(&b, "    %d. %s: %s\n", t.Rank, plain(t.Name), wordsText(t.Words))
	}
	if f.More > 0 && len(f.Higher) > 0 {
		fmt.Fprintf(&b, "    and %d more\n", f.More)
	}
	return b.String()
}

func (a *Accepted) write(b *strings.Builder) {
	if a.Rank == 0 {
		fmt.Fprintf(b, "  %s: not found\n", plain(a.Name))
	} else {
		fmt.Fprintf(b, "  %s: rank %d; it matches %s\n", plain(a.Name), a.Rank, wordsText(a.Words))
	}
	if len(a.Missing) == 0 {
		b.WriteString("    it lacks no word of the query\n")
		return
	}
	words := make([]string, len(a.Missing))
	for i, m := range a.Missing {
		in := fmt.Sprintf("%d tools have it", m.Tools)
		switch m.Tools {
		case 0:
			in = "no tool has it"
		case 1:
			in = "one tool has it"
		}
		words[i] = fmt.Sprintf("%s (%s)", m.Word, in)
	}
	fmt.Fprintf(b, "    it lacks %s\n", strings.Join(words, ", "))
}

// wordsText lists words with the fields in which they match, such as: issue (name), shut as close (synonym, description).
func wordsText(words []Word) string {
	if len(words) == 0 {
		return "no word of the query"
	}
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = w.String()
	}
	return strings.Join(list, ", ")
}

// String returns the word with where and how it matches.
func (w Word) String() string {
	if w.By == "exact" {
		return fmt.Sprintf("%s (%s)", w.Query, w.Field)
	}
	return fmt.Sprintf("%s as %s (%s, %s)", w.Query, w.Matched, w.By, w.Field)
}

// The greatest lengths of names and queries in texts, in characters.
const (
	maxName  = 100
	maxQuery = 200
)

// plain returns a name, quoted if it contains anything but printable characters.
func plain(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) || name == "" {
		return quote(name)
	}
	return shorten(name, maxName)
}

func quote(text string) string { return strconv.Quote(shorten(text, maxQuery)) }

// shorten cuts a text after a number of characters.
func shorten(text string, most int) string {
	for i := range text {
		if most == 0 {
			return text[:i] + "…"
		}
		most--
	}
	return text
}
