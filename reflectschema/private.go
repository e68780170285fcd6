package reflectschema

import (
	"context"
	"reflect"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/processor"
)

// What other packages of the module need of schemas and authors do not: it is in no public API, so that it can change.
var (
	_ = private.Provide(private.Schemas[*Type, *Schema]{
		CallsMethods: (*Type).callsMethods,
		Shortener:    (*Type).shortener,
		Wrapped:      (*Schema).wrapped,
		Judge:        func(s *Schema, data []byte) error { return s.judge(data, nil) },
		AppendValue: func(ctx context.Context, dst []byte, value any) ([]byte, error) {
			return appendValueFor(new(room).in(ctx, dst, 0), dst, value)
		},
	})
	_ = private.Provide(private.Checks[*Type, *Schema, reflect.Value]{
		Decode: func(t *Type, ctx context.Context, data []byte, dst reflect.Value) error {
			return t.decodeFor(processor.CallerIn(ctx), data, dst)
		},
		Append: func(t *Type, ctx context.Context, dst []byte, v reflect.Value, size int) ([]byte, error) {
			return t.appendFor(new(room).in(ctx, dst, size), dst, v)
		},
		Check: func(s *Schema, ctx context.Context, data []byte) error {
			return s.checkFor(processor.CallerIn(ctx), data)
		},
	})
)
