package runtime

import "github.com/mcptool-go/mcptool/internal/jsonscan"

// members calls fn with each member of raw, a valid JSON value. It does nothing when
// raw is not an object.
func members(raw []byte, fn func(name string, value []byte)) {
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
