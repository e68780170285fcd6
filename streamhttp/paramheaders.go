package streamhttp

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/mcptool"
)

// checkParamHeaders compares the headers that repeat arguments of a call with the
// arguments. Headers that no schema announces are nobody's business.
func checkParamHeaders(h http.Header, tool *mcptool.Tool, arguments []byte) error {
	for _, param := range tool.ParamHeaders() {
		name := headerParamPrefix + param.Name
		if err := checkParam(h, name, argument(arguments, param.Path)); err != nil {
			return fmt.Errorf("the header %s %w", name, err)
		}
	}
	return nil
}

// checkParam compares one header with one argument, raw JSON or nil. An argument of
// a type that has no place in a header is left to whoever checks the arguments.
func checkParam(h http.Header, name string, raw []byte) error {
	value, err := single(h, name)
	if err == nil {
		value, err = decodeValue(value)
	}
	kind := jsonscan.KindOf(raw)
	if kind == jsonscan.Invalid || kind == jsonscan.Null {
		if errors.Is(err, errAbsent) {
			return nil
		}
		return errors.New("repeats an argument that is not there")
	}
	if err != nil {
		return err
	}
	same := true
	switch kind {
	case jsonscan.String:
		same = value == string(jsonscan.Unquote(raw))
	case jsonscan.Number:
		same = sameNumber(value, raw)
	case jsonscan.Bool:
		same = value == string(raw)
	default:
	}
	if !same {
		return errors.New("does not match the argument")
	}
	return nil
}

// sameNumber reports whether value is a number, as JSON writes them, and equal to raw.
// Header integers stay within 2^53, so float64 holds them exactly.
func sameNumber(value string, raw []byte) bool {
	if jsonscan.KindOf([]byte(value)) != jsonscan.Number || jsonscan.Valid([]byte(value), 1) != nil {
		return false
	}
	a, errA := strconv.ParseFloat(value, 64)
	b, errB := strconv.ParseFloat(string(raw), 64)
	return errA == nil && errB == nil && a == b
}

// argument returns the value that path leads to in raw, a JSON object or nil; nil if
// it is not there.
func argument(raw []byte, path []string) []byte {
	for _, name := range path {
		if jsonscan.KindOf(raw) != jsonscan.Object {
			return nil
		}
		var found []byte
		s := jsonscan.New(raw, 0)
		s.OpenObject()
		for member, ok := s.Member(); ok; member, ok = s.Member() {
			here := string(member) == name
			if value := s.Value(); here {
				found = value
			}
		}
		raw = found
	}
	return raw
}
