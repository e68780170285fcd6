package wire

import (
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Result is the result of a custom method, split into its parts. Lists of members are JSON, as in an object, without
// braces.
type Result struct {
	Members []byte // the members that are not in another field
	Meta    []byte // the members of _meta
	Kind    []byte // the JSON value of resultType, nil if absent
	Hints   []byte // the members ttlMs and cacheScope
}

// ReadResult splits the JSON of a result, which must be compact, for revision v.
func ReadResult(raw []byte, v Version) (Result, error) {
	var r Result
	err := eachMember(raw, func(name string, value, text []byte) error {
		switch name {
		case "resultType":
			return r.setKind(value, v)
		case "_meta":
			return r.setMeta(value)
		case "ttlMs", "cacheScope":
			r.Hints = append(rawjson.AppendComma(r.Hints), text...)
		default:
			r.Members = append(rawjson.AppendComma(r.Members), text...)
		}
		return nil
	})
	return r, err
}

// ReadParams splits the JSON of the params of a notification, which must be compact.
func ReadParams(raw []byte) (Result, error) {
	var r Result
	err := eachMember(raw, func(name string, value, text []byte) error {
		if name == "_meta" {
			return r.setMeta(value)
		}
		r.Members = append(rawjson.AppendComma(r.Members), text...)
		return nil
	})
	return r, err
}

// setKind sets the member resultType.
func (r *Result) setKind(value []byte, v Version) error {
	switch {
	case rawjson.KindOf(value) != rawjson.String:
		return errors.New("resultType is not a string")
	case string(value) != `"complete"` && !v.Has(PerRequest):
		return fmt.Errorf("revision %s has no resultType %s", v, value)
	case string(value) == `"task"`:
		return errors.New("resultType is task, which is only for tools")
	}
	r.Kind = value
	return nil
}

// setMeta sets the member _meta.
func (r *Result) setMeta(value []byte) error {
	return eachMember(value, func(name string, _, text []byte) error {
		if name == metaServerInfo {
			return errors.New("_meta has " + metaServerInfo + ", which the server adds itself")
		}
		r.Meta = append(rawjson.AppendComma(r.Meta), text...)
		return nil
	})
}

// eachMember calls fn for each member of raw, compact JSON, with its name, its value, and the text of both. It returns
// the first error of fn, or an error if raw is not an object.
func eachMember(raw []byte, fn func(name string, value, text []byte) error) error {
	if rawjson.KindOf(raw) != rawjson.Object {
		return fmt.Errorf("%s is not an object", Quote(string(raw)))
	}
	s := rawjson.New(raw, 0)
	s.OpenObject()
	start := s.Offset()
	for found, ok := s.Member(); ok; found, ok = s.Member() {
		name := string(found)
		value := s.Value()
		if value == nil {
			break
		}
		end := s.Offset() // at the comma
		if err := fn(name, value, raw[start:end]); err != nil {
			return err
		}
		start = end + 1
	}
	return s.Err()
}
