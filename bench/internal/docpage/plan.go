package docpage

import (
	"encoding/json"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// Plan returns the planned sample call for an entry of tools/list: the arguments generated from the schema, and the
// reason not to call it, if any. skip is a reason given by the caller, as a sentence, or "".
func Plan(entry []byte, skip string) Call {
	v, err := parseJSON(entry)
	if err != nil {
		return Call{Skipped: "Not called: invalid entry in the list of tools."}
	}
	arguments, problem := sampleOf(v.Get("inputSchema"))
	c := Call{Arguments: arguments, Skipped: problem}
	switch {
	case skip != "":
		c.Skipped = skip
	case problem == "" && v.Get("execution").Get("taskSupport").Text() == "required":
		c.Skipped = "Not called: runs only as a task."
	}
	return c
}

// sampleOf generates arguments from an input schema, or returns why it cannot.
func sampleOf(schema *jsondoc.Value) (json.RawMessage, string) {
	if schema == nil {
		return nil, "Not called: no input schema."
	}
	parsed, err := reflectschema.ParseSchema([]byte(compact(schema)))
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, "Not called: no arguments could be generated from the input schema: " + visible(terminal.Shorten(strings.TrimPrefix(first, "schema: "), 300)) + "."
	}
	sample := samples.Example(parsed)
	if sample == nil {
		return nil, "Not called: no arguments that fit the input schema could be generated."
	}
	return sample, ""
}
