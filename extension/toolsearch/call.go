package toolsearch

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// callIn are the arguments of the two tools that call others.
type callIn struct {
	Name      string                     `json:"name" doc:"The name of the tool."`
	Arguments map[string]json.RawMessage `json:"arguments,omitempty" doc:"The arguments of the tool, as its schema says: an object, not a text."`
}

// redirect returns the func that makes a call of a calling tool the call of the tool in its arguments, if that is the
// kind of tool that it calls. All other calls are answered by the calling tool itself: see refuse.
func (s *search) redirect(readOnly bool) func(json.RawMessage) (string, json.RawMessage, bool) {
	return func(args json.RawMessage) (string, json.RawMessage, bool) {
		name, toolArgs, ok := readCall(args)
		if !ok {
			return "", nil, false
		}
		t, ok := s.registry.Lookup(name)
		return name, toolArgs, ok && !s.isOwn(t) && isReadOnly(t) == readOnly
	}
}

// readCall reads the arguments of a calling tool: the name of the other tool and its arguments, which are a part of args; nil
// if there are none. It reports false for arguments that callIn does not allow.
func readCall(args []byte) (name string, toolArgs []byte, ok bool) {
	s := rawjson.New(args, 0)
	s.OpenObject()
	hasName, hasArguments := false, false
	for member, more := s.Member(); more; member, more = s.Member() {
		isName, isArguments := string(member) == "name", string(member) == "arguments"
		value := s.Value()
		switch kind := rawjson.KindOf(value); {
		case isName && !hasName && kind == rawjson.String:
			name, hasName = string(rawjson.Unquote(value)), true
		case isArguments && !hasArguments && kind == rawjson.Object:
			toolArgs, hasArguments = value, true
		case isArguments && !hasArguments && kind == rawjson.Null: // as if they were absent
			hasArguments = true
		default:
			return "", nil, false
		}
	}
	return name, toolArgs, hasName && s.Err() == nil
}

// caller returns a calling tool.
func (s *search) caller(readOnly bool) (*mcptool.Tool, error) {
	p := s.options.Prefix
	name, text := callOther, "Runs a tool that "+p+searchTools+" has found and that may change or delete something. Read-only tools run with "+p+callReadOnly+"."
	if readOnly {
		name, text = callReadOnly, "Runs a read-only tool that "+p+searchTools+" has found. Other tools run with "+p+callOther+"."
	}
	return mcptool.New(func(ctx context.Context, in callIn) (struct{}, error) {
		return struct{}{}, s.refuse(ctx, in.Name, name)
	},
		mcptool.Name(s.options.Prefix+name), mcptool.Description(text), mcptool.ReadOnly(readOnly), mcptool.Destructive(!readOnly),
		mcptool.OmitOutputSchema(true), mcptool.Task(mcptool.TaskSupportOptional))
}

// refuse returns why a calling tool does not call the tool with this name.
func (s *search) refuse(ctx context.Context, name, calling string) error {
	if i := slices.IndexFunc(s.own, func(t *mcptool.Tool) bool { return t.Info().Name == name && runtime.IsVisible(ctx, t) }); i >= 0 {
		return mcptool.Errorf("%s is in your list of tools; call it itself", name)
	}
	t := s.lookup(ctx, name)
	switch {
	case t == nil:
		similar := near(name, s.names(ctx))
		for i := range similar {
			similar[i] = strconv.Quote(similar[i])
		}
		if len(similar) > 0 {
			return mcptool.Errorf("there is no tool %q; did you mean %s?", name, strings.Join(similar, " or "))
		}
		return mcptool.Errorf("there is no tool %q; find one with %s", name, s.options.Prefix+searchTools)
	case s.callerOf(t) != s.options.Prefix+calling:
		return mcptool.Errorf("%q is %s, so it was not run; call it with %s", name, effect(t), s.callerOf(t))
	default: // it was added or changed after the call was directed here
		return mcptool.Errorf("the tools have changed during the call; call again")
	}
}

// callerOf returns the name of the tool that calls t.
func (s *search) callerOf(t *mcptool.Tool) string {
	if isReadOnly(t) {
		return s.options.Prefix + callReadOnly
	}
	return s.options.Prefix + callOther
}
