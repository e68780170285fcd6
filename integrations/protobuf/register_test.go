package protobuf_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/mcptool-go/mcptool/integrations/protobuf"
	"github.com/mcptool-go/mcptool/integrations/protobuf/testdata/orderpb"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/reflectschema"
)

func init() {
	protobuf.Register[status.Status]()
	protobuf.Register[durationpb.Duration]()
	protobuf.Register[structpb.Struct]()
	protobuf.Register[orderpb.Line]()
}

// echo has messages wherever a Go type may have them.
type echo struct {
	Order    *orderpb.Order            `json:"order,omitempty" doc:"The order"`
	Lines    []*orderpb.Line           `json:"lines"`
	ByName   map[string]*orderpb.Order `json:"byName"`
	Status   *status.Status            `json:"status,omitempty"`
	Timeout  *durationpb.Duration      `json:"timeout,omitempty" jsonschema:"default=1.5s"`
	Data     *structpb.Struct          `json:"data,omitempty"`
	Optional *orderpb.Line             `json:"optional,omitempty" jsonschema:"nullable"`
}

// TestRegister sends messages through a tool, and compares what it gets and what it returns with what was sent.
func TestRegister(t *testing.T) {
	t.Parallel()
	detail, err := anypb.New(&errdetails.ErrorInfo{Reason: "R", Metadata: map[string]string{"k": "v"}})
	if err != nil {
		t.Fatal(err)
	}
	data, err := structpb.NewStruct(map[string]any{"a": []any{1, "x", nil}})
	if err != nil {
		t.Fatal(err)
	}
	order := &orderpb.Order{Id: "1", State: 7, Labels: map[string]string{"": "<&>"}, Note: proto.String("")}
	sent := echo{
		Order: order, Lines: []*orderpb.Line{{UnitPriceCents: -1 << 63}, {}}, ByName: map[string]*orderpb.Order{"one": order},
		Status:  &status.Status{Code: 3, Details: []*anypb.Any{detail}},
		Timeout: durationpb.New(90e9), Data: data,
	}
	var received echo
	tool, err := mcptool.New(func(_ context.Context, in echo) (echo, error) {
		received = in
		return in, nil
	}, mcptool.Name("echo"))
	if err != nil {
		t.Fatal(err)
	}
	returned := mcptooltest.Call[echo, echo](t, tool, sent)
	for name, got := range map[string]echo{"received": received, "returned": returned} {
		for _, pair := range [][2]proto.Message{
			{sent.Order, got.Order},
			{sent.Lines[0], got.Lines[0]},
			{sent.Lines[1], got.Lines[1]},
			{sent.ByName["one"], got.ByName["one"]},
			{sent.Status, got.Status},
			{sent.Timeout, got.Timeout},
			{sent.Data, got.Data},
		} {
			if !proto.Equal(pair[0], pair[1]) {
				t.Errorf("%s: sent %v, got %v", name, pair[0], pair[1])
			}
		}
	}
}

// TestChecks runs the tests of mcptooltest on tools with messages.
func TestChecks(t *testing.T) {
	t.Parallel()
	registry := new(mcptool.Registry)
	for _, add := range []func() (*mcptool.Tool, error){
		func() (*mcptool.Tool, error) { return mcptool.New(GetOrder) },
		func() (*mcptool.Tool, error) { return mcptool.New(UpdateOrder) },
	} {
		tool, err := add()
		if err != nil {
			t.Fatal(err)
		}
		if err := registry.Add(tool); err != nil {
			t.Fatal(err)
		}
	}
	mcptooltest.Check(t, registry)
}

// TestErrors checks the errors that a caller gets for values that protojson refuses, and the author for messages that it
// does not write.
func TestErrors(t *testing.T) {
	t.Parallel()
	in, err := reflectschema.Compile(reflect.TypeFor[echo](), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	for data, want := range map[string]string{
		`{"lines":[{"unitPriceCents":"9223372036854775808"}],"byName":{}}`:  `lines[0]: must be a value that can be read (invalid value for int64 field unitPriceCents: "9223372036854775808")`,
		`{"lines":[{"unitPriceCents":5}],"byName":{}}`:                      "lines[0].unitPriceCents: must be a string",
		`{"lines":[{"unit_price_cents":"5"}],"byName":{}}`:                  `did you mean "unitPriceCents"?`,
		`{"lines":[null],"byName":{}}`:                                      "lines[0]: must be an object",
		`{"lines":[],"byName":{"a":{"card":{},"invoiceNumber":""}}}`:        "oneof shop.v1.Order.payment is already set",
		`{"lines":[],"byName":{},"status":{"details":[{"@type":"a/b.C"}]}}`: "unable to resolve",
		`{"lines":[],"byName":{},"timeout":"400000000000s"}`:                `value out of range`,
	} {
		var v echo
		if err := in.Decode([]byte(data), reflect.ValueOf(&v).Elem()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %q", data, err, want)
		} else if strings.Contains(err.Error(), "proto:") || strings.Contains(err.Error(), "line 1:") {
			t.Errorf("%s: the error contains a position that the caller cannot use: %v", data, err)
		}
	}
	_, err = reflectschema.AppendValue(nil, echo{Status: &status.Status{Details: []*anypb.Any{{TypeUrl: "a/b.C"}}}})
	if invalid := (*reflectschema.InvalidError)(nil); !errors.As(err, &invalid) || !strings.Contains(err.Error(), "unable to resolve") {
		t.Errorf("an Any of an unknown type: %v", err)
	}
}

// TestTwice checks that a second registration of a type has no effect, and that another one is refused.
func TestTwice(t *testing.T) {
	t.Parallel()
	protobuf.Register[orderpb.Order]()
	defer func() {
		if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), "it was registered differently by RegisterCodec at ") {
			t.Errorf("another registration: %v", err)
		}
	}()
	reflectschema.RegisterJSON[orderpb.Order](`{}`)
}

// early is a message whose package is not initialized: it has no descriptor.
type early struct{}

func (*early) ProtoReflect() protoreflect.Message { return noDescriptor{} }

type noDescriptor struct{ protoreflect.Message }

func (noDescriptor) Descriptor() protoreflect.MessageDescriptor { return nil }

// earlier is one whose package has not even made its tables.
type earlier struct{}

func (*earlier) ProtoReflect() protoreflect.Message { panic("index out of range") }

// TestEarly checks the panic of a registration before the descriptor is initialized.
func TestEarly(t *testing.T) {
	t.Parallel()
	for _, register := range []func(){protobuf.Register[early], protobuf.Register[earlier]} {
		func() {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.Contains(text, "call Register in another package") {
					t.Errorf("got %q", text)
				}
			}()
			register()
		}()
	}
}
