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

// An answer is made once.
type answer struct{ get func() (*Type, error) }

// compiled holds *answer by cacheKey. It grows with the types of the program,
// which are few and never go away.
var compiled sync.Map

// cached returns the one answer for a type and options. Whoever asks while it is
// being made waits for it. What was refused is not kept: the members of a union
// may be registered yet.
func cached(t reflect.Type, opts Options) (*Type, error) {
	key := cacheKey{t, opts}
	kept, ok := compiled.Load(key)
	if !ok {
		made := &answer{sync.OnceValues(func() (*Type, error) { return compile(t, opts) })}
		kept, _ = compiled.LoadOrStore(key, made)
	}
	made, err := kept.(*answer).get() //nolint:errcheck,forcetypeassert // nothing else is stored
	if err != nil {
		compiled.CompareAndDelete(key, kept)
	}
	return made, err
}
