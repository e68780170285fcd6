package runtime

import "github.com/mcptool-go/mcptool/internal/jsonscan"

// members calls fn with each member of raw, a valid JSON value, that is not null: a null stands for an absent
// member, since there are clients that write it for what they leave out. It does nothing when raw is not an object.
func members(raw []byte, fn func(name string, value []byte)) {
	entries(raw, func(name string, value []byte) {
		if jsonscan.KindOf(value) != jsonscan.Null {
			fn(name, value)
		}
	})
}

// entries calls fn with each member of raw, a valid JSON value: in a map there is no absent member that a null could stand
// for. It does nothing when raw is not an object.
func entries(raw []byte, fn func(name string, value []byte)) {
	if jsonscan.KindOf(raw) != jsonscan.Object {
		return
	}
	s := jsonscan.New(raw, 0)
	s.OpenObject()
	for name, ok := s.Member(); ok; name, ok = s.Member() {
		text := string(name)
		fn(text, s.Value())
	}
}

// member returns the member of this name of raw, a valid JSON value; nil if there is none, or it is null.
func member(raw []byte, name string) (value []byte) {
	members(raw, func(found string, v []byte) {
		if found == name {
			value = v
		}
	})
	return value
}
