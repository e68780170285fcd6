package reflectschema

import (
	"reflect"
	"sync"
)

// A cacheKey is what an answer of Compile depends on.
type cacheKey struct {
	goType reflect.Type
	opts   Options
}

// compiled holds func() (*Type, error) by cacheKey. It grows with the types of
// the program, which are few and never go away.
var compiled sync.Map

// cached returns the one answer for a type and options. Whoever asks while it is
// being made waits for it.
func cached(t reflect.Type, opts Options) (*Type, error) {
	key := cacheKey{t, opts}
	answer, ok := compiled.Load(key)
	if !ok {
		answer, _ = compiled.LoadOrStore(key, sync.OnceValues(func() (*Type, error) { return compile(t, opts) }))
	}
	return answer.(func() (*Type, error))() //nolint:errcheck,forcetypeassert // nothing else is stored
}
