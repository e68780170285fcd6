package mcptool

import (
	"context"
	"fmt"
	"reflect"
	"slices"
)

// outShape is how the first result of a func becomes a [Result].
type outShape uint8

const (
	outJSON     outShape = iota + 1 // any JSON type: the structured part
	outContent                      // one block of Content
	outContents                     // a slice of them
	outResult                       // *Result: passed through
)

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
	contentType = reflect.TypeFor[Content]()
	resultType  = reflect.TypeFor[*Result]()
)

// deref returns the type that a pointer points to, or t itself.
func deref(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// checkIn returns why t cannot be an argument type, and the fix; "" if it can.
func checkIn(t reflect.Type) (reason, fix string) {
	switch {
	case deref(t).Kind() == reflect.Struct:
		return "", ""
	case t.Kind() == reflect.Map && t.Key().Kind() == reflect.String:
		return "", ""
	case t.Kind() == reflect.Map:
		return fmt.Sprintf("arguments must be a JSON object with string keys, but the keys of %s are not strings", t), "use map[string]T"
	case t.Kind() == reflect.Interface && t.NumMethod() > 0:
		return fmt.Sprintf("arguments must be one JSON object, but the interface %s allows several kinds, which some clients do not accept", t), "make it a field of a struct"
	case t.Kind() == reflect.Interface:
		return fmt.Sprintf("arguments must be a JSON object, but %s can be any value", t), "use map[string]any, or NewRaw for the JSON itself"
	case t.Kind() == reflect.Pointer:
		return fmt.Sprintf("arguments are decoded into a struct, but %s does not point to one", t), "use a struct, or a pointer to one"
	default:
		return fmt.Sprintf("arguments must have names, but %s does not define any", t), "use a struct with one field per argument; struct{} for no arguments"
	}
}

// checkOut returns how results of type t are sent, or why they cannot be sent. It leaves JSON types to reflectschema.
func checkOut(t reflect.Type) (shape outShape, reason, fix string) {
	switch {
	case t == resultType:
		return outResult, "", ""
	case t == resultType.Elem():
		return 0, "a Result is returned by pointer", "return *mcptool.Result"
	case slices.Contains(promptTypes[1:], t) || t == reflect.TypeFor[PromptResult]():
		return 0, fmt.Sprintf("only prompts return %s", t), "pass the func to RegisterPrompt or NewPrompt; exclude a method of a service with ExceptMethods"
	case t == contentsType || t == contentsListType:
		return 0, fmt.Sprintf("only resources return %s", t), "pass the func to RegisterResource or NewResource; exclude a method of a service with ExceptMethods"
	case isBlock(t):
		return outContent, "", ""
	case t.Kind() == reflect.Slice && isBlock(t.Elem()):
		return outContents, "", ""
	case t == reflect.PointerTo(contentType):
		return 0, "it points to an interface", "return mcptool.Content"
	case t == errorType:
		return 0, "both results are errors", "make the first result the answer of the tool, struct{} if there is none"
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Pointer:
		return 0, "it is a pointer to a pointer", "return one pointer or none"
	case isSent(innermost(t)):
		return 0, fmt.Sprintf("%s is not JSON, so it cannot be a part of a result", innermost(t)), "return one *mcptool.Result, with all blocks in Content"
	default:
		return outJSON, "", ""
	}
}

// innermost returns the type of the values in pointers, lists and maps without names, or t itself.
func innermost(t reflect.Type) reflect.Type {
	for t.Name() == "" && slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map}, t.Kind()) {
		t = t.Elem()
	}
	return t
}

// isSent reports whether values of t are sent in the form of the protocol, or contain such values. As JSON they would not
// have that form, and their schema would allow everything.
func isSent(t reflect.Type) bool {
	return isBlock(t) || slices.Contains([]reflect.Type{resultType.Elem(), reflect.TypeFor[Message](), reflect.TypeFor[PromptResult](), contentsType}, t)
}

// isBlock reports whether t is [Content], a type of it, or a pointer to one. A struct that merely embeds one has its
// methods as well, but is a type of the author, which is sent as JSON.
func isBlock(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer && t.Elem() != contentType {
		t = t.Elem()
	}
	return t.PkgPath() == contentType.PkgPath() && t.Implements(contentType)
}
