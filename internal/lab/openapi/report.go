package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// An exception is a failure that is not the fault of the generator, with the reason.
type exception struct {
	document, operation string // "" for all
	kind                failureKind
	text                string // part of the text of the failure
	reason              string
}

// exceptions are all known ones. Each must be needed.
var exceptions = []exception{
	// Arguments that are made of the schema alone.
	{"", "", noRequest, "it is a part of the path, which must not be empty", "an empty string or object has no text in a path"},
	{"", "", noRequest, "must be base64 with padding", "samples do not know contentEncoding"},
	{"", "", noRequest, "must not have line breaks or other control characters", "a header cannot have them, and samples do"},
	{"peertube", "", noRequest, "mime: expected slash", "a sample is not a media type"},
	{"peertube", "", badRequest, "not matching content types", "a sample is not an image"},
	{"peertube", "", badRequest, "empty value is not allowed", "a list of one empty string is an empty value in a query"},
	{"stripe", "", badRequest, "is missing", "a form cannot have an empty object"},
	{"stripe", "", badRequest, "Error at \"/shipping", "a form cannot have an empty object"},
	{"stripe", "", badRequest, "value is required but missing", "a form cannot have an empty object"},
	{"stripe", "", badRequest, "Error at \"/tipping\"", "a choice with a large schema accepts anything, which the import notes"},
	{"peertube", "", badRequest, "regular expression \"/^", "no text matches a pattern between slashes, so the import leaves it out"},
	{"github", "", badRequest, "doesn't match any schema from \"anyOf\"", "input schemas do not have combinations of members that only anyOf demands"},
	{"github", "", badRequest, "input matches more than one oneOf schemas", "the same for oneOf"},
	{"github", "", badRequest, "is missing", "the same for oneOf"},
	{"github", "", badRequest, "value must be an object", "a choice with a large schema accepts anything, which the import notes"},
	{"galaxy", "POST /celestial-bodies", badRequest, "value must be an object", "the same"},
	{"mojaloop", "POST /interface", badRequest, "", "the same"},
	{"github", "", badRequest, "minimum number of items is 2", "not checked for lists in lists, which the import notes"},

	// Responses.
	{"peertube", "GET /api/v1/users/{id}", noResponse, "", "each user of the second branch of oneOf is also one of the first"},

	// The validator.
	{"", "", badRequest, ": undefined", "it does not read nested members of multipart bodies"},
	{"styles", "", badRequest, "schema has non primitive type object", "it does not read objects of multipart bodies with delimiters"},
	{"styles", "", badRequest, "in format \"name=value\" separated by ;", "RFC 6570 has no = for an empty value in this style"},
	{"discourse", "", badRequest, "unsupported schema of request body", "it reads only multipart bodies with properties outside of allOf and anyOf"},
	{"peertube", "", badRequest, "unsupported schema of request body", "the same"},
	{"peertube", "", badRequest, "Error at \"/videoChannelId\"", "it reads only members of multipart bodies with a type outside of allOf"},
	{"pandascore", "", badRequest, "decoding oneOf failed: 2 schemas matched", "it reads a number as a string as well"},
	{"peertube", "", badRequest, "in path has an error: input matches more than one oneOf schemas", "the same"},
	{"pandascore", "", badRequest, "\"videogame_id_or_slug\" in path", "it compares numbers of different Go types"},
	{"github", "", badRequest, "parameter \"has\" in query", "it reads a text by the second branch of oneOf"},
	{"github", "", lostInResult, "<nil> became ", "a null list or map of a result becomes an empty one"},
	{"github", "", badRequest, "parameter \"state\" in query", "a null parameter of a query is sent as an empty text"},
	{"github", "", badRequest, "value is required but missing", "a body that is null is not sent"},
}

func (x exception) holds(f *failure) bool {
	return (x.document == "" || x.document == f.document) && (x.operation == "" || x.operation == f.operation) &&
		x.kind == f.kind && strings.Contains(f.text, x.text)
}

// minOperations is the number of operations that must have received valid requests.
const minOperations = 200

// A result is all that is known of a document.
type result struct {
	*imported
	inDocument int
	caller     *caller // nil if no tool was called
	err        error   // the calls ended
}

// reportOn returns the tables and all failures, and an error if there are unexpected ones.
func reportOn(results []*result, took time.Duration) (string, error) {
	out := new(strings.Builder)
	if err := errors.Join(writeImports(out, results), writeCalls(out, results)); err != nil {
		return "", err
	}
	bad, operations := 0, 0
	used := make([]int, len(exceptions))
	for _, r := range results {
		bad += writeErrors(out, r)
		if r.caller == nil {
			continue
		}
		operations += len(r.caller.operations)
		for i := range r.caller.failures {
			f := &r.caller.failures[i]
			if x := slices.IndexFunc(exceptions, func(x exception) bool { return x.holds(f) }); x >= 0 {
				used[x]++
				continue
			}
			bad++
			out.WriteString(f.String())
		}
	}
	for i, x := range exceptions {
		fmt.Fprintf(out, "known, %d times: %s %s: %s %q: %s\n", used[i], x.document, x.operation, x.kind, x.text, x.reason)
		if used[i] == 0 && len(results) == len(documents) {
			bad++
			fmt.Fprintln(out, "  is not needed; remove it")
		}
	}
	fmt.Fprintf(out, "\n%d operations received valid requests, in %d s\n", operations, int(took.Seconds()))
	if operations < minOperations && len(results) == len(documents) {
		return out.String(), fmt.Errorf("%d operations received valid requests, want %d", operations, minOperations)
	}
	if bad > 0 {
		return out.String(), fmt.Errorf("%d unexpected failures", bad)
	}
	return out.String(), nil
}

// writeImports prints a line for each document.
func writeImports(out *strings.Builder, results []*result) error {
	t := new(strings.Builder)
	fmt.Fprintln(t, "document\toperations\ttranslated\tleft out\tnotes\ttokens\timport\tprocessor\tmemory\tbuild\tvet\tmcptoolvet\ttest\tlint\t")
	for _, r := range results {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%.1f s\t%.1f s\t%d MB\t", r.name, r.inDocument, r.translated, r.leftOut, r.notes, r.tokens,
			r.wall.Seconds(), r.cpu.Seconds(), r.memory>>20)
		for _, name := range []string{"build", "vet", "mcptoolvet", "test", "lint"} {
			text := "–"
			for _, c := range r.checks {
				switch {
				case c.name == name && c.err != nil:
					text = "FAILS"
				case c.name == name:
					text = fmt.Sprintf("%.0f s", c.took.Seconds())
				}
			}
			fmt.Fprintf(t, "%s\t", text)
		}
		fmt.Fprintln(t)
	}
	return align(out, t.String())
}

// align writes rows of cells that end with a tab.
func align(out *strings.Builder, rows string) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, err := io.WriteString(t, rows)
	return errors.Join(err, t.Flush())
}

// writeCalls prints what the calls of each document resulted in.
func writeCalls(out *strings.Builder, results []*result) error {
	fmt.Fprintln(out)
	t := new(strings.Builder)
	fmt.Fprintln(t, "document\toperations called\tcalls\tvalid requests\tcomplete results\tfailures\t")
	for _, r := range results {
		if c := r.caller; c != nil {
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%s\t\n", r.name, len(c.operations), c.total, c.requests, c.results, byKind(c.failures))
		}
	}
	err := align(out, t.String())
	fmt.Fprintln(out)
	return err
}

// byKind counts failures by their kinds.
func byKind(failures []failure) string {
	counts := map[failureKind]int{}
	for _, f := range failures {
		counts[f.kind]++
	}
	var texts []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		texts = append(texts, fmt.Sprintf("%d %s", counts[kind], kind))
	}
	return strings.Join(texts, ", ")
}

// maxText limits what is printed of a request, a result or the output of a program.
const maxText = 2000

// writeErrors prints what failed beside the calls, and returns its number.
func writeErrors(out *strings.Builder, r *result) (bad int) {
	all := []check{{name: "import", err: r.imported.err}, {name: "calls", err: r.err}}
	for _, c := range append(all, r.checks...) {
		if c.err != nil {
			bad++
			fmt.Fprintf(out, "%s: %s: %s\n\n", r.name, c.name, cut(c.err.Error()))
		}
	}
	return bad
}

// String returns all that is needed to understand a failure.
func (f *failure) String() string {
	text := fmt.Sprintf("%s: %s (%s): %s: %s\n  arguments: %s\n", f.document, f.tool, f.operation, f.kind, cut(f.text), cut(string(f.arguments)))
	if e := f.exchange; e != nil {
		text += fmt.Sprintf("  request: %s %s %v %s\n", e.method, cut(e.url), e.header, cut(string(e.body)))
		text += fmt.Sprintf("  response: %d %s %s\n", e.status, e.mediaType, cut(string(e.response)))
	}
	return text + fmt.Sprintf("  result: %s\n\n", cut(string(f.result)))
}

func cut(text string) string {
	if len(text) > maxText {
		return strings.ToValidUTF8(text[:maxText], "") + " …"
	}
	return text
}
