package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// A report counts verdicts and differences.
type report struct {
	schemas, verdicts, valid int
	refused                  map[string]int    // schemas that ParseSchema refuses, by reason
	explained                map[string]int    // differences, by reason
	examples                 map[string]string // of the differences
	unexplained              []string
}

func newReport() *report {
	return &report{refused: map[string]int{}, explained: map[string]int{}, examples: map[string]string{}}
}

// compare adds the verdicts for values of a schema.
func (p *report) compare(f foreignSchema, ajv *ajvProcess, r *rand.Rand, count int) error {
	s, err := reflectschema.ParseSchema(f.json)
	if err != nil {
		p.refused[f.name+": "+err.Error()]++
		return nil //nolint:nilerr // it is reported
	}
	strict, err := compileLibrary(f.json, true)
	if err != nil {
		p.unexplained = append(p.unexplained, fmt.Sprintf("%s: the library refuses the schema: %v", f.name, err))
		return nil
	}
	values := valuesOf(s, r, count)
	errs, ours := make([]error, len(values)), make([]bool, len(values))
	for i, text := range values {
		errs[i] = s.Check([]byte(text))
		ours[i] = errs[i] == nil
	}
	answer, err := ajv.validate(f.json, values, ours)
	if err != nil {
		return fmt.Errorf("%s: ajv: %w", f.name, err)
	}
	if answer.Error != "" {
		p.unexplained = append(p.unexplained, fmt.Sprintf("%s: ajv refuses the schema: %s", f.name, answer.Error))
		return nil
	}
	if answer.Refused != "" {
		p.differs(true, reasonRefused, f.name+": "+answer.Refused)
	}
	p.schemas++
	for i, text := range values {
		p.verdicts++
		if ours[i] {
			p.valid++
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			return err
		}
		p.compareLibrary(f, text, errs[i], strict.Validate(value), value)
		p.compareAjv(f, text, errs[i], answer.Verdicts[i], value)
	}
	return nil
}

// compareLibrary compares our error for a value with the error of the library.
func (p *report) compareLibrary(f foreignSchema, text string, ours, theirs error, value any) {
	if (ours == nil) == (theirs == nil) {
		return
	}
	formats := formatsOf(ours)
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](theirs); ok {
		formats = libraryFormatsOf(invalid)
	}
	p.differs(fitsWithoutFormats(f, value), reasonOf(libraryFormats, formats), f.name+": "+text+": our error is "+fmt.Sprint(ours)+", the library differs")
}

// compareAjv compares our error for a value with the verdict of ajv.
func (p *report) compareAjv(f foreignSchema, text string, ours error, theirs ajvVerdict, value any) {
	valid := ours == nil
	if theirs.Valid == valid {
		return
	}
	example := f.name + ": " + text + ": our error is " + fmt.Sprint(ours) + ", ajv differs"
	if theirs.NotNullable == valid {
		p.differs(true, reasonNullable, example)
		return
	}
	formats := formatsOf(ours)
	if valid {
		formats = theirs.Formats
	}
	p.differs(theirs.NoFormats && fitsWithoutFormats(f, value), reasonOf(ajvFormats, formats), example)
}

// fitsWithoutFormats reports whether a value fits a schema if formats are not checked.
func fitsWithoutFormats(f foreignSchema, value any) bool {
	s, err := compileLibrary(f.json, false)
	return err == nil && s.Validate(value) == nil
}

// differs adds a difference, whose reason is known if it is not "" and verified.
func (p *report) differs(verified bool, reason, example string) {
	if !verified || reason == "" {
		p.unexplained = append(p.unexplained, example)
		return
	}
	if p.explained[reason]++; p.examples[reason] == "" {
		p.examples[reason] = example
	}
}

// compileLibrary compiles a schema with the library alone.
func compileLibrary(schema json.RawMessage, formats bool) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if formats {
		c.AssertFormat()
	}
	if err := c.AddResource("urn:foreign", document); err != nil {
		return nil, err
	}
	return c.Compile("urn:foreign")
}

// maxShown is the number of unexplained differences that are printed.
const maxShown = 20

func (p *report) write(out io.Writer, took time.Duration) {
	for _, refused := range slices.Sorted(maps.Keys(p.refused)) {
		_, _ = fmt.Fprintf(out, "refused: %s\n", strings.ReplaceAll(refused, "\n", "; "))
	}
	for _, reason := range slices.Sorted(maps.Keys(p.explained)) {
		_, _ = fmt.Fprintf(out, "%6d × %s\n         such as %.300s\n", p.explained[reason], reason, strings.ReplaceAll(p.examples[reason], "\n", " "))
	}
	for i, text := range p.unexplained {
		if i == maxShown {
			_, _ = fmt.Fprintf(out, "… and %d more\n", len(p.unexplained)-maxShown)
			break
		}
		_, _ = fmt.Fprintf(out, "UNEXPLAINED %s\n", text)
	}
	known := 0
	for _, n := range p.explained {
		known += n
	}
	_, _ = fmt.Fprintf(out, "%d schemas compared, %d refused; %d verdicts, of which %d are valid; %d known differences, %d unexplained; %s\n",
		p.schemas, len(p.refused), p.verdicts, p.valid, known, len(p.unexplained), took.Round(time.Second))
}

// err returns an error if there was a difference without a known reason, or too little to compare.
func (p *report) err() error {
	switch {
	case len(p.unexplained) > 0:
		return fmt.Errorf("%d differences have no known reason", len(p.unexplained))
	case p.schemas < minSchemas:
		return fmt.Errorf("%d schemas were compared, want at least %d", p.schemas, minSchemas)
	case p.valid < p.verdicts/10 || p.valid > p.verdicts*9/10:
		return fmt.Errorf("%d of %d values are valid: the values test only one verdict", p.valid, p.verdicts)
	}
	return nil
}
