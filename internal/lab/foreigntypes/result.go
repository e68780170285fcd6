package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Differences from encoding/json that package reflectschema documents.
const (
	asEncodingJSON   = "results as encoding/json writes them"
	nilsAreEmpty     = "results with [] or {} for a nil list or map"
	pointerMethods   = "results written by a method with pointer receiver, also where encoding/json cannot call it"
	bothRefuse       = "results that encoding/json refuses as well"
	resultsValidated = "results that ajv and santhosh accept"
)

// checkResult checks that a type is accepted as a result, and the results of a tool that returns the values.
func (c *checker) checkResult(ctx context.Context, s subject, values []reflect.Value) role {
	tool, err := define(s.result)
	if err != nil {
		return role{refusal: err}
	}
	var written [][]byte
	for _, v := range values {
		got, err := call(ctx, tool, v, nil)
		if want, wantErr := marshal(v.Elem()); err != nil && wantErr == nil {
			c.report.fail("a result is refused that encoding/json writes", s.name(), fmt.Sprintf("%v: %s", err, excerpt(want)))
			continue
		}
		if c.checkWritten(s, v, got, err); err == nil {
			written = append(written, got)
		}
	}
	schema := tool.OutputSchema()
	if schema == nil {
		return role{}
	}
	verdicts, ok := c.validate(s, schema.JSON(), written)
	for i, document := range written {
		switch {
		case !ok:
		case verdicts.ajv[i] == "" && verdicts.santhosh[i] == "":
			c.report.count(resultsValidated)
		default:
			c.report.fail("a result does not fit its schema", s.name(),
				fmt.Sprintf("ajv: %q, santhosh: %q: %s", verdicts.ajv[i], verdicts.santhosh[i], excerpt(document)))
		}
	}
	return role{size: len(schema.JSON())}
}

// checkInAny checks the results of a tool that returns the values as any.
func (c *checker) checkInAny(ctx context.Context, s subject, values []reflect.Value) role {
	tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (map[string]any, error) {
		v, _ := ctx.Value(valueKey{}).(reflect.Value)
		return map[string]any{"v": v.Elem().Interface()}, nil
	}, mcptool.Name("any"))
	if err != nil {
		return role{refusal: err}
	}
	for _, v := range values {
		got, err := call(ctx, tool, reflect.ValueOf(v), nil)
		if _, wantErr := marshal(v.Elem()); err != nil && wantErr == nil {
			return role{refusal: err}
		}
		var member struct {
			V json.RawMessage `json:"v"`
		}
		if err == nil {
			err = json.Unmarshal(got, &member)
		}
		c.checkWritten(s, v, member.V, err)
	}
	return role{}
}

// checkWritten compares the result for a value, to which v points, with encoding/json.
func (c *checker) checkWritten(s subject, v reflect.Value, got []byte, err error) {
	want, wantErr := marshal(v.Elem())
	addressable, addressableErr := marshal(v)
	empty := withEmptyLists(v)
	emptyValue, emptyErr := marshal(empty.Elem())
	emptyAddressable, _ := marshal(empty)
	switch {
	case err != nil:
		c.report.allow(bothRefuse, s.name(), fmt.Sprintf("%v and %v", wantErr, err))
	case wantErr == nil && sameJSON(want, got):
		c.report.count(asEncodingJSON)
	case emptyErr == nil && sameJSON(emptyValue, got):
		c.report.allow(nilsAreEmpty, s.name(), firstDifference(want, got))
	case addressableErr == nil && sameJSON(addressable, got), addressableErr == nil && sameJSON(emptyAddressable, got):
		c.report.allow(pointerMethods, s.name(), firstDifference(want, got))
	case wantErr != nil:
		c.report.fail("a result is written that encoding/json refuses", s.name(), fmt.Sprintf("%v: %s", wantErr, excerpt(got)))
	default:
		c.report.fail("a result differs from encoding/json", s.name(), firstDifference(want, got))
	}
}
