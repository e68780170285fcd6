package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// Verdicts about arguments, and differences from encoding/json that package reflectschema documents.
const (
	decodedAlike       = "arguments that are decoded as by encoding/json"
	decodedEqualJSON   = "arguments whose value is written alike, but is not deeply equal"
	refusedAlike       = "arguments that ajv, santhosh and the tool refuse"
	refusedByType      = "arguments that fit the schema, but are refused by the Go type and by encoding/json"
	integerAsFraction  = "integers written with a fraction or an exponent, which encoding/json refuses"
	timeInLowerCase    = "times in lower case, which encoding/json refuses"
	nullIsAbsent       = "arguments with null for an optional member, which is taken as absent"
	validatorsDisagree = "arguments about which ajv and santhosh disagree; the tool agrees with santhosh"
)

// Numbers of documents per type.
const (
	mutantsPerDocument = 6
	mostSamples        = 150
)

// checkArgument checks that a type is accepted as arguments, and calls a tool with documents that fit, and that do not.
func (c *checker) checkArgument(ctx context.Context, s subject, values []reflect.Value) role {
	tool, err := define(s.argument)
	if err != nil {
		return role{refusal: err}
	}
	schema := tool.InputSchema()
	documents := c.documents(tool, values)
	verdicts, ok := c.validate(s, schema.JSON(), documents)
	for i := range documents {
		if ok {
			c.checkDecoded(ctx, s, tool, documents, i, verdicts)
		}
	}
	return role{size: len(schema.JSON())}
}

// documents returns the JSON of the values, samples of the schema, and mutants of both.
func (c *checker) documents(tool *mcptool.Tool, values []reflect.Value) [][]byte {
	random := rand.New(rand.NewPCG(c.seed, 1)) //nolint:gosec // documents that can be repeated
	var list [][]byte
	seen := map[string]bool{}
	add := func(document []byte) {
		if !seen[string(document)] {
			seen[string(document)] = true
			list = append(list, document)
		}
	}
	for _, v := range values {
		if document, err := marshal(v); err == nil {
			add(document)
		}
	}
	all := samples.Of(tool.InputSchema())
	for i, step := 0, len(all)/mostSamples+1; i < len(all); i += step {
		add(all[i].JSON)
	}
	for _, document := range list {
		for range mutantsPerDocument {
			if mutant := mutate(random, document); mutant != nil {
				add(mutant)
			}
		}
	}
	return list
}

// checkDecoded calls the tool with a document, and compares its verdict with the validators and its value with encoding/json.
func (c *checker) checkDecoded(ctx context.Context, s subject, tool *mcptool.Tool, documents [][]byte, i int, verdicts verdicts) {
	document, byAJV, bySanthosh := documents[i], verdicts.ajv[i], verdicts.santhosh[i]
	got := reflect.New(s.typ)
	_, err := call(ctx, tool, got, document)
	if refused := (*mcptool.ArgumentError)(nil); err != nil && !errors.As(err, &refused) {
		c.report.fail("a call fails", s.name(), fmt.Sprintf("%v: %s", err, excerpt(document)))
		return
	}
	if fits, ok := withoutNulls(verdicts.schema, document); ok && err == nil && bySanthosh != "" {
		c.report.allow(nullIsAbsent, s.name(), excerpt(document))
		document, bySanthosh, byAJV = fits, "", ""
	}
	want, wantErr := unmarshal(document, s.typ)
	if (byAJV == "") != (bySanthosh == "") {
		c.report.allow(validatorsDisagree, s.name(), fmt.Sprintf("ajv: %q, santhosh: %q: %s", byAJV, bySanthosh, excerpt(document)))
	}
	switch {
	case bySanthosh != "" && err != nil:
		c.report.count(refusedAlike)
	case bySanthosh != "":
		c.report.fail("arguments are accepted that do not fit the schema", s.name(), fmt.Sprintf("ajv: %q, santhosh: %q: %s", byAJV, bySanthosh, excerpt(document)))
	case err != nil && wantErr != nil:
		c.report.allow(refusedByType, s.name(), fmt.Sprintf("%v: %s", wantErr, excerpt(document)))
	case err != nil:
		c.report.fail("arguments are refused that fit the schema", s.name(), fmt.Sprintf("%v: %s", err, excerpt(document)))
	case wantErr != nil:
		c.checkLenient(s, document, wantErr)
	default:
		c.checkEqual(s, document, want, got)
	}
}

// checkLenient checks that a document which encoding/json refuses is accepted for a documented reason.
func (c *checker) checkLenient(s subject, document []byte, wantErr error) {
	wrongType := (*json.UnmarshalTypeError)(nil)
	if errors.As(wantErr, &wrongType) && strings.ContainsAny(wrongType.Value, ".eE") && strings.HasPrefix(wrongType.Value, "number") {
		c.report.allow(integerAsFraction, s.name(), fmt.Sprintf("%v: %s", wantErr, excerpt(document)))
		return
	}
	if _, text, ok := strings.Cut(wantErr.Error(), "math/big: cannot unmarshal "); ok && strings.ContainsAny(strings.TrimSuffix(text, " into a *big.Int"), ".eE") {
		c.report.allow(integerAsFraction, s.name(), fmt.Sprintf("%v: %s", wantErr, excerpt(document)))
		return
	}
	if lower := (*time.ParseError)(nil); errors.As(wantErr, &lower) {
		if _, err := time.Parse(time.RFC3339, strings.ToUpper(strings.Trim(lower.Value, `"`))); err == nil {
			c.report.allow(timeInLowerCase, s.name(), fmt.Sprintf("%v: %s", wantErr, excerpt(document)))
			return
		}
	}
	c.report.fail("arguments are accepted that encoding/json refuses", s.name(), fmt.Sprintf("%v: %s", wantErr, excerpt(document)))
}

// checkEqual compares the decoded value with the one of encoding/json.
func (c *checker) checkEqual(s subject, document []byte, want, got reflect.Value) {
	if reflect.DeepEqual(want.Interface(), got.Interface()) {
		c.report.count(decodedAlike)
		return
	}
	a, errA := marshal(want)
	b, errB := marshal(got)
	switch {
	case errA == nil && errB == nil && sameJSON(a, b):
		c.report.allow(decodedEqualJSON, s.name(), excerpt(document))
	case errA != nil || errB != nil:
		c.report.fail("arguments are decoded to another value than by encoding/json", s.name(), fmt.Sprintf("%v, %v: %s", errA, errB, excerpt(document)))
	default:
		c.report.fail("arguments are decoded to another value than by encoding/json", s.name(), firstDifference(a, b)+": "+excerpt(document))
	}
}
