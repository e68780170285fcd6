package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mcptool-go/mcptool/internal/bytesize"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// resultsKey is the key of the extension results in the _meta of calls, and of results that it has cut.
const resultsKey = "io.github.mcptool-go/results"

// wholeResults are the members of _meta with which the extension does not cut results.
var wholeResults = map[string]json.RawMessage{resultsKey: json.RawMessage(`{"whole":true}`)}

// cutResult describes what is missing in a result, as the extension does.
type cutResult struct {
	Handle  string `json:"handle"` // "" if the complete result was not kept
	Expires string `json:"expires"`
	Bytes   int64  `json:"bytes"`
	Cut     []struct {
		Path  string `json:"path"` // "" means the whole result
		Shown int64  `json:"shown"`
		Total int64  `json:"total"`
		Unit  string `json:"unit"`
	} `json:"cut"`
	More int `json:"more"` // further parts that were cut
}

// cutOf returns what the extension has cut in a result; nil if it is complete.
func cutOf(result *client.Result) *cutResult {
	var r struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	var cut cutResult
	if strictjson.Decode(result.Raw, &r) != nil || r.Meta[resultsKey] == nil || strictjson.Decode(r.Meta[resultsKey], &cut) != nil {
		return nil
	}
	return &cut
}

// noteCut writes to stderr what is missing in a result.
func (c *console) noteCut(result *client.Result) {
	cut := cutOf(result)
	if cut == nil {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "bench: the result has %s, and the server cut it; --all gets all of it\n", bytesize.Text(cut.Bytes))
	for _, part := range cut.Cut {
		fmt.Fprintf(&b, "  %s: %d of %d %s\n", terminal.OneLine(cmp.Or(part.Path, "the result")), part.Shown, part.Total, terminal.OneLine(part.Unit))
	}
	if cut.More > 0 {
		fmt.Fprintf(&b, "  and %s\n", count(cut.More, "further part"))
	}
	if cut.Handle != "" {
		fmt.Fprintf(&b, "  the server keeps it until %s with the handle %s\n", terminal.OneLine(cut.Expires), terminal.OneLine(cut.Handle))
	}
	_, _ = io.WriteString(c.err, b.String()) // best effort
}
