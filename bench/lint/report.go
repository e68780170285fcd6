package lint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/bench/strictjson"
	schemalint "github.com/mcptool-go/mcptool/reflectschema/lint"
)

// A Level is the severity of a finding. A greater level is more severe.
type Level uint8

// The levels.
const (
	Advice  Level = iota + 1 // nothing breaks: the model would do better otherwise
	Warning                  // some client leaves something out, or is misled
	Error                    // some client refuses the tool, or the server; or the protocol does not allow it
)

// String returns advice, warning or error.
func (l Level) String() string {
	switch l {
	case Advice:
		return "advice"
	case Warning:
		return "warning"
	case Error:
		return "error"
	default:
		return "none"
	}
}

// MarshalText returns the level's word.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// A Finding is one thing that is wrong.
type Finding struct {
	Level Level  `json:"level"`
	Rule  string `json:"rule"`           // no-description; of a profile with its name: claude/root-combinator
	Tool  string `json:"tool,omitempty"` // "" if the finding is about all tools, or not about a tool
	// The name of the prompt, the URI of the resource, or the template that the finding is about.
	Prompt   string `json:"prompt,omitempty"`
	Resource string `json:"resource,omitempty"`
	Template string `json:"resourceTemplate,omitempty"`
	Path     string `json:"path,omitempty"`   // the place: arguments.items[].qty, result.total; "" for the tool
	Found    string `json:"found"`            // what is there
	Why      string `json:"why"`              // what comes of it
	Fix      string `json:"fix"`              // what to do
	Source   string `json:"source,omitempty"` // URL where that is told, "" where it is plain
	More     int    `json:"more,omitempty"`   // further places in the same schema that are not listed
}

// A Cost is what a tool takes of a model's attention.
type Cost struct {
	Tool   string `json:"tool"`
	Bytes  int    `json:"bytes"`           // of its entry in the result of tools/list, without white space between tokens
	Tokens int    `json:"estimatedTokens"` // a fourth of the bytes; what it is depends on the model and the client
}

// A ListSize is how large a list is that clients load whole, and that models do not read.
type ListSize struct {
	List    string `json:"list"` // prompts, resources or resourceTemplates
	Entries int    `json:"entries"`
	Bytes   int    `json:"bytes"` // without white space between tokens
	Largest string `json:"largest"`
	Most    int    `json:"largestBytes"` // of Largest
}

// A Report is what Check has found.
type Report struct {
	Findings []Finding  `json:"findings"`        // the worst first, then in the order of the tools
	Costs    []Cost     `json:"costs"`           // in the order of the tools
	Lists    []ListSize `json:"lists,omitempty"` // those that are not empty, besides the tools
	Bytes    int        `json:"bytes"`
	Tokens   int        `json:"estimatedTokens"`
	Budget   int        `json:"budgetTokens,omitempty"` // 0 for none
	Hidden   int        `json:"hiddenAdvice,omitempty"` // how many pieces of advice are left out, see Options.All
}

// Options say what is looked for.
type Options struct {
	Profiles []schemalint.Profile // the clients whose rules count; none for none
	Budget   int                  // how many tokens all tools may take by the estimate; 0 for any number
	All      bool                 // also the advice that most authors can ignore
}

// Lists are what a server lists: the entries of the results of tools/list, prompts/list, resources/list and
// resources/templates/list.
type Lists struct {
	Tools, Prompts, Resources, Templates []json.RawMessage
	// LegacyTools are the tools as clients of revision 2025-11-25 get them, for the profiles of such clients. Nil means that
	// they get Tools.
	LegacyTools []json.RawMessage
	// Read are the contents of some of the resources, if they were read.
	Read []Reading
}

// Check looks at what a server lists.
func Check(lists Lists, o Options) *Report {
	r := &Report{Findings: []Finding{}, Costs: []Cost{}, Budget: o.Budget}
	c := &checker{options: o, report: r, twoLists: lists.LegacyTools != nil}
	for _, entry := range lists.Tools {
		t := read(entry)
		c.tools = append(c.tools, t)
		size := compactSize(entry)
		r.Costs = append(r.Costs, Cost{t.Name, size, Tokens(size)})
		r.Bytes += size
	}
	r.Tokens = Tokens(r.Bytes)
	for i, t := range c.tools {
		c.names(t)
		c.texts(t)
		c.hints(t)
		c.schemas(t)
		c.weight(r.Costs[i])
		c.view(t)
	}
	for _, entry := range lists.LegacyTools {
		c.profiles(read(entry), c.legacyProfiles())
	}
	c.together()
	c.prompts(lists.Prompts)
	c.resources(lists.Resources)
	c.templates(lists.Templates)
	c.contents(lists.Read)
	if !o.All {
		all := len(r.Findings)
		r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return slices.Contains(ignorable, f.Rule) })
		r.Hidden = all - len(r.Findings)
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return -cmp.Compare(a.Level, b.Level) })
	return r
}

// Count returns how many findings are of a level.
func (r *Report) Count(l Level) int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Level == l {
			n++
		}
	}
	return n
}

// Worst returns the worst level of the findings, 0 if there are none.
func (r *Report) Worst() Level {
	if len(r.Findings) == 0 {
		return 0
	}
	return r.Findings[0].Level
}

// Summary says how many findings there are.
func (r *Report) Summary() string {
	var parts []string
	for _, l := range []struct {
		level     Level
		one, many string
	}{{Error, "error", "errors"}, {Warning, "warning", "warnings"}, {Advice, "piece of advice", "pieces of advice"}} {
		if n := r.Count(l.level); n > 0 {
			parts = append(parts, counted(n, l.one, l.many))
		}
	}
	if len(parts) == 0 {
		return "nothing is known against it"
	}
	return strings.Join(parts, ", ")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Tokens estimates how many tokens a model reads so many bytes as: a fourth.
func Tokens(size int) int { return (size + 3) / 4 }

func compactSize(entry []byte) int {
	var b bytes.Buffer
	if json.Compact(&b, entry) != nil {
		return len(entry)
	}
	return b.Len()
}

// checker gathers what is found.
type checker struct {
	options Options
	report  *Report
	tools   []*tool
	// twoLists is set if legacy clients get another list of tools.
	twoLists bool
}

// A tool is an entry of tools/list, as far as it can be read.
type tool struct {
	client.Tool
	problem string // why it cannot be read at all; "" if it can
}

func read(entry []byte) *tool {
	t := &tool{Tool: client.ReadTool(entry)}
	if _, _, err := strictjson.Members(entry); err != nil {
		t.problem = err.Error()
	}
	return t
}

// add notes a finding of one of our own rules about a tool.
func (c *checker) add(name, tool, path, found string) {
	c.note(Finding{Rule: name, Tool: tool, Path: path, Found: found})
}

// note notes a finding of one of our own rules, which completes it.
func (c *checker) note(f Finding) {
	r := rules[f.Rule]
	f.Level, f.Why, f.Fix, f.Source = r.level, r.why, r.fix, r.source
	c.report.Findings = append(c.report.Findings, f)
}

// subject says what a finding is about: a tool by its name alone, "" for all tools.
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
