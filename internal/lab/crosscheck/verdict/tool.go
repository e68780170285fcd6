package verdict

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/mcptool-go/mcptool/mcptool"
)

// call calls the tool and checks that its func is called if and only if the judge accepts the arguments, and that the
// result is valid for the listed schema.
func (t *trial) call(ctx context.Context, data []byte, answer reflect.Value) (f finding) {
	defer func() {
		if p := recover(); p != nil {
			f = wrongf("panic: %v", p)
		}
	}()
	p := t.probe
	p.reached, p.answer = false, answer
	result, err := p.tool.Call(ctx, data)
	refused := p.in.refuses(data)
	if string(data) == "null" || len(data) == 0 { // absent arguments are an empty object
		refused = p.in.refuses([]byte("{}"))
	}
	f.valid, f.taken = refused == nil, p.reached
	if p.reached && refused != nil {
		if root, err := parse(data); err == nil && p.in.refuses(root.withoutNull().JSON()) == nil {
			f.class = nullArgument
		} else if f.class = excuse(p.in, data); f.class == "" {
			f.wrong = fmt.Sprintf("the func was called; reference validator: %v", refused)
		}
		return f
	}
	if argument := (*mcptool.ArgumentError)(nil); !p.reached && !errors.As(err, &argument) {
		return wrongf("the func was not called, with a %T: %v", err, err)
	}
	if !p.reached && refused == nil {
		return f.refusal(err, t.Type, p.in, data)
	}
	if !p.reached || err != nil { // rejected results are checked as outputs
		return f
	}
	structured, isJSON := result.Structured.(json.RawMessage)
	if !isJSON {
		return wrongf("structured content is a %T", result.Structured)
	}
	if refused := p.out.refuses(structured); refused != nil && excuse(p.out, structured) == "" {
		f.wrong = fmt.Sprintf("structuredContent is %s, which the reference validator rejects: %v", structured, refused)
	}
	return f
}
