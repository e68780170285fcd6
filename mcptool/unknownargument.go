package mcptool

import "github.com/mcptool-go/mcptool/internal/rawjson"

// withoutUnknown returns the arguments without those that are not known, and the names of the first ones that were removed,
// for the log. If known is nil, all are kept. It does not modify args.
func withoutUnknown(known map[string]bool, args []byte) (kept []byte, names []string) {
	const most = 10
	scan := func(visit func(name, value []byte)) error {
		s := rawjson.New(args, 0)
		s.OpenObject()
		for name, ok := s.Member(); ok; name, ok = s.Member() {
			visit(name, s.Value())
		}
		s.End()
		return s.Err()
	}
	if known == nil {
		return args, nil
	}
	err := scan(func(name, _ []byte) {
		if !known[string(name)] && len(names) < most {
			names = append(names, shorten(string(name)))
		}
	})
	if err != nil || names == nil {
		return args, nil // the check reports an error
	}
	kept = append(make([]byte, 0, len(args)), '{')
	_ = scan(func(name, value []byte) {
		if known[string(name)] {
			kept = append(append(rawjson.AppendString(rawjson.AppendComma(kept), name), ':'), value...)
		}
	})
	return append(kept, '}'), names
}
