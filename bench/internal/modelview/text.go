package modelview

import (
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/bench/internal/lint"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// Limits of the table of changes; JSON has all changes.
const (
	maxKinds  = 30 // rows; changes that differ only in their place share one
	maxPlaces = 20 // lost tools and arguments of one rule that have their own rows
)

// TokensNote explains a column of tokens with an asterisk in its heading.
const TokensNote = "* an estimate: a fourth of the bytes of the name, the description and the input schema, and what else the model gets"

// Shown returns the number of tools that the model sees, and their estimated tokens.
func (v *View) Shown() (tools, tokens int) {
	for _, t := range v.Tools {
		if t.Definition != nil {
			tools, tokens = tools+1, tokens+t.Tokens
		}
	}
	return tools, tokens
}

// Count returns the number of changes with an effect.
func (v *View) Count(e Effect) (n int) {
	for _, c := range v.Changes {
		if c.Effect == e {
			n++
		}
	}
	return n
}

// Text formats the changes and the rules behind them for a terminal with width columns; 0 means no limit.
func (v *View) Text(width int) string {
	var b strings.Builder
	if rows := v.Rows(); len(rows) > 1 {
		b.WriteString(terminal.Fit(rows, width, nil) + "\n")
	}
	if len(v.Rules)+len(v.Client.Notes) > 0 {
		fmt.Fprintf(&b, "What %s does\n", v.Client.Title)
		for _, r := range append(v.Rules[:len(v.Rules):len(v.Rules)], v.Client.Notes...) {
			b.WriteString(lint.Wrapped(r.Name+": "+r.Why, width) + "    " + r.Source + ", " + r.Seen + "\n")
		}
	}
	return b.String()
}

// Rows returns the table of changes. Those that differ only in their place are one row, unless they are lost.
func (v *View) Rows() [][]string {
	rows := [][]string{{"EFFECT", "RULE", "FOUND", "WHERE"}}
	type kind struct {
		row   []string // nil if it is not shown
		place string   // the first
		more  int      // other places
	}
	kinds, lost := map[string]*kind{}, map[string]int{}
	for _, c := range v.Changes {
		key := c.Rule + "\x00" + c.Found
		if c.Effect == Lost {
			key = c.Rule + "\x00" + fmt.Sprint(min(lost[c.Rule], maxPlaces))
			lost[c.Rule]++
		}
		if k := kinds[key]; k != nil {
			if k.more++; k.row != nil {
				k.row[3] = fmt.Sprintf("%s and %d more", k.place, k.more)
			}
			continue
		}
		k := &kind{place: strings.TrimSpace(terminal.Shorten(c.Tool, 128) + " " + c.Path)}
		if kinds[key] = k; len(kinds) <= maxKinds {
			k.row = []string{c.Effect.String(), c.Rule, c.Found, k.place}
			rows = append(rows, k.row)
		}
	}
	if hidden := len(kinds) - maxKinds; hidden > 0 {
		rows = append(rows, []string{"…", fmt.Sprintf("and %d other kinds; --json has all", hidden), "", ""})
	}
	return rows
}
