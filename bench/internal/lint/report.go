package lint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	schemalint "github.com/mcptool-go/mcptool/reflectschema/lint"
)

// A Level is the severity of a finding. Higher levels are more severe.
type Level uint8

// Levels.
const (
	Advice  Level = iota + 1 // no client fails; a model would do better with a change
	Warning                  // some client omits something, or is misled
	Error                    // some client rejects the tool or the server, or the protocol forbids it
)

// String returns advice, warning or error, or none for 0.
func (l Level) String() string {
	return [...]string{"none", "advice", "warning", "error"}[l]
}

// MarshalText returns String.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// A Finding is a problem.
type Finding struct {
	Level Level  `json:"level"`
	Rule  string `json:"rule"`           // no-description; with a prefix for a client profile: claude/root-combinator
	Tool  string `json:"tool,omitempty"` // "" if the finding is about all tools, or not about a tool
	// Name of the prompt, URI of the resource, or template that the finding is about.
	Prompt   string `json:"prompt,omitempty"`
	Resource string `json:"resource,omitempty"`
	Template string `json:"resourceTemplate,omitempty"`
	Path     string `json:"path,omitempty"`   // location: arguments.items[].qty, result.total; "" for the tool
	Found    string `json:"found"`            // the problem
	Why      string `json:"why"`              // the consequence
	Fix      string `json:"fix"`              // the solution
	Source   string `json:"source,omitempty"` // URL of a reference; "" if it is obvious
	More     int    `json:"more,omitempty"`   // number of further locations in the same schema
}

// A Cost is the size of a tool in a model's context.
type Cost struct {
	Tool   string `json:"tool"`
	Bytes  int    `json:"bytes"`           // size of its entry in tools/list, without insignificant white space
	Tokens int    `json:"estimatedTokens"` // a fourth of the bytes; the actual number depends on model and client
}

// A ListSize is the size of a list that clients load completely, but models do not read.
type ListSize struct {
	List    string `json:"list"` // prompts, resources or resourceTemplates
	Entries int    `json:"entries"`
	Bytes   int    `json:"bytes"` // without insignificant white space
	Largest string `json:"largest"`
	Most    int    `json:"largestBytes"` // size of Largest
}

// A Report is the result of Check.
type Report struct {
	Findings []Finding  `json:"findings"`        // most severe first, then in tool order
	Costs    []Cost     `json:"costs"`           // in tool order
	Lists    []ListSize `json:"lists,omitempty"` // non-empty lists other than tools
	Bytes    int        `json:"bytes"`
	Tokens   int        `json:"estimatedTokens"`
	Budget   int        `json:"budgetTokens,omitempty"` // 0 for none
	Hidden   int        `json:"hiddenAdvice,omitempty"` // number of omitted findings, see Options.All
}

// Options configure Check.
type Options struct {
	Profiles []schemalint.Profile // clients whose rules apply; nil for none
	Budget   int                  // maximum estimated tokens of all tools; 0 for no limit
	All      bool                 // include advice that most authors can ignore
}

// UsualProfiles returns the profiles of clients that do not rewrite schemas for their models.
func UsualProfiles() []schemalint.Profile {
	return slices.DeleteFunc(schemalint.Profiles(), func(p schemalint.Profile) bool {
		return p == schemalint.ProfileOpenAIStrict || p == schemalint.ProfileGemini
	})
}

// Lists holds the lists of a server.
type Lists struct {
	Tools                []client.Tool
	Prompts              []client.Prompt
	Resources, Templates []client.Resource
	// LegacyTools are the tools as listed for clients of revision 2025-11-25, for the profiles of such clients. Nil
	// means that they get Tools.
	LegacyTools []client.Tool
	// Read holds the contents of the resources that were read.
	Read []Reading
	// Results holds the results of sample calls.
	Results []Sample
}

// Check checks the lists of a server.
func Check(lists Lists, o Options) *Report {
	r := &Report{Findings: []Finding{}, Costs: []Cost{}, Budget: o.Budget}
	c := &checker{options: o, report: r, tools: lists.Tools, twoLists: lists.LegacyTools != nil}
	for i := range c.tools {
		t := &c.tools[i]
		size := Size(t.Raw)
		r.Costs = append(r.Costs, Cost{t.Name, size, Tokens(size)})
		r.Bytes += size
		if c.entry(Finding{Tool: t.Name}, &t.Entry, "bad-member") {
			c.names(t)
			c.texts(t)
			c.hints(t)
			c.schemas(t)
			c.weight(r.Costs[i])
			c.view(t)
		}
	}
	r.Tokens = Tokens(r.Bytes)
	for i := range lists.LegacyTools {
		c.profiles(&lists.LegacyTools[i], c.legacyProfiles())
	}
	c.together()
	c.prompts(lists.Prompts)
	c.resources("resources", lists.Resources, false)
	c.resources("resourceTemplates", lists.Templates, true)
	c.contents(lists.Read)
	c.results(lists.Results)
	if !o.All {
		all := len(r.Findings)
		r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return slices.Contains(ignorable, f.Rule) })
		r.Hidden = all - len(r.Findings)
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return -cmp.Compare(a.Level, b.Level) })
	return r
}

// Worst returns the most severe level of the findings; 0 if there are none.
func (r *Report) Worst() Level {
	if len(r.Findings) == 0 {
		return 0
	}
	return r.Findings[0].Level
}

// Summary returns the number of findings in words.
func (r *Report) Summary() string {
	var found [Error + 1]int
	for i := range r.Findings {
		found[r.Findings[i].Level]++
	}
	var parts []string
	for _, l := range []struct {
		level     Level
		one, many string
	}{{Error, "error", "errors"}, {Warning, "warning", "warnings"}, {Advice, "piece of advice", "pieces of advice"}} {
		if n := found[l.level]; n > 0 {
			parts = append(parts, counted(n, l.one, l.many))
		}
	}
	if len(parts) == 0 {
		return "no findings"
	}
	return strings.Join(parts, ", ")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Tokens estimates the number of tokens of a text from its size in bytes: a fourth. The actual number depends on the
// model and on how the client formats tools.
func Tokens(size int) int { return (size + 3) / 4 }

// TokensNote explains a column of [Tokens] with an asterisk in its heading.
const TokensNote = "* an estimate: a fourth of the bytes of the entry in tools/list"

// Size returns the size in bytes of an entry of a list, without insignificant white space.
func Size(entry []byte) int {
	var b bytes.Buffer
	if json.Compact(&b, entry) != nil {
		return len(entry)
	}
	return b.Len()
}

// checker collects findings.
type checker struct {
	options Options
	report  *Report
	tools   []client.Tool
	// twoLists is set if legacy clients get a different tool list.
	twoLists bool
}

// add reports a finding of a lint rule for a tool.
func (c *checker) add(name, tool, path, found string) {
	c.of(Finding{Tool: tool, Path: path}, name, found)
}

// of reports a finding of a lint rule for the subject and the path of f.
func (c *checker) of(f Finding, rule, found string) {
	r, ok := rules[rule]
	if !ok {
		r = listRules[rule]
	}
	f.Level, f.Rule, f.Found, f.Why, f.Fix, f.Source = r.level, rule, found, r.why, r.fix, r.source
	c.report.Findings = append(c.report.Findings, f)
}

// subject returns the subject of a finding: a tool by its name alone, "" for all tools.
func (f *Finding) subject() string {
	switch {
	case f.Prompt != "":
		return "prompt " + f.Prompt
	case f.Resource != "":
		return "resource " + f.Resource
	case f.Template != "":
		return "template " + f.Template
	default:
		return f.Tool
	}
}
