package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
)

// A subject is a Go type that tools use as their arguments and as their result.
type subject struct {
	typ      reflect.Type
	argument func() (*mcptool.Tool, error)
	result   func() (*mcptool.Tool, error)
}

// valueKey is the key in a context for a pointer to a value of the type: the result to return, or where to put the argument.
type valueKey struct{}

// of returns the subject for a type.
func of[T any]() subject {
	return subject{
		typ: reflect.TypeFor[T](),
		argument: func() (*mcptool.Tool, error) {
			return mcptool.New(func(ctx context.Context, in T) (struct{}, error) {
				dst, ok := ctx.Value(valueKey{}).(*T)
				if !ok {
					return struct{}{}, errors.New("no value in the context")
				}
				*dst = in
				return struct{}{}, nil
			}, mcptool.Name("argument"))
		},
		result: func() (*mcptool.Tool, error) {
			return mcptool.New(func(ctx context.Context, _ struct{}) (T, error) {
				src, ok := ctx.Value(valueKey{}).(*T)
				if !ok {
					src = new(T)
					return *src, errors.New("no value in the context")
				}
				return *src, nil
			}, mcptool.Name("result"))
		},
	}
}

// name returns the type without the directories of import paths.
func (s subject) name() string {
	var short strings.Builder
	path := ""
	for _, r := range s.typ.String() + "\n" {
		switch {
		case strings.ContainsRune("[]*,\n", r):
			short.WriteString(strings.TrimPrefix(path[strings.LastIndex(path, "/")+1:], "main."))
			if r != '\n' {
				short.WriteRune(r)
			}
			path = ""
		default:
			path += string(r)
		}
	}
	return short.String()
}

// call calls a tool with a pointer to a value in the context; a panic of the tool's code is an error.
func call(ctx context.Context, t *mcptool.Tool, value reflect.Value, args []byte) (structured json.RawMessage, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("Tool.Call panicked: %v", r)
		}
	}()
	result, err := t.Call(context.WithValue(ctx, valueKey{}, value.Interface()), args)
	if err != nil {
		return nil, err
	}
	structured, _ = result.Structured.(json.RawMessage)
	return structured, nil
}

// define makes a tool; a panic is an error.
func define(tool func() (*mcptool.Tool, error)) (t *mcptool.Tool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("mcptool.New panicked: %v", r)
		}
	}()
	return tool()
}

// marshal is json.Marshal; a panic of a method is an error.
func marshal(v reflect.Value) (data []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("json.Marshal panicked: %v", r)
		}
	}()
	return json.Marshal(v.Interface())
}

// unmarshal is json.Unmarshal into a new value of a type, to which it returns a pointer; a panic of a method is an error.
func unmarshal(data []byte, t reflect.Type) (v reflect.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("json.Unmarshal panicked: %v", r)
		}
	}()
	v = reflect.New(t)
	return v, json.Unmarshal(data, v.Interface())
}
