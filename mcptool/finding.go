package mcptool

import (
	"errors"
	"fmt"
)

// finding is one mistake in a value that the author gave: its location, the reason and the fix. At registration it
// becomes a [Mistake], in a result an [*OutputError]; the rules are the same.
type finding struct {
	path   string
	reason string
	fix    string
}

func (f finding) Error() string {
	text := f.reason
	if f.path != "" {
		text = f.path + ": " + text
	}
	if f.fix != "" {
		text += "; " + f.fix
	}
	return text
}

// findings collects findings while the checks walk a value, whose current path is a prefix of their names.
type findings struct {
	path []byte
	list []finding
}

// add adds a finding about name below the current path; "" means the value at the path itself.
func (fs *findings) add(name, reason, fix string) {
	fs.within(name, func() {
		fs.list = append(fs.list, finding{path: string(fs.path), reason: reason, fix: fix})
	})
}

// within runs check with name appended to the path.
func (fs *findings) within(name string, check func()) {
	length := len(fs.path)
	if length > 0 && name != "" && name[0] != '[' {
		fs.path = append(fs.path, '.')
	}
	fs.path = append(fs.path, name...)
	check()
	fs.path = fs.path[:length]
}

// at runs check with the index appended to the path.
func (fs *findings) at(index int, check func()) {
	fs.within(fmt.Sprintf("[%d]", index), check)
}

// err joins the findings, nil when there are none.
func (fs *findings) err() error {
	errs := make([]error, len(fs.list))
	for i, f := range fs.list {
		errs[i] = f
	}
	return errors.Join(errs...)
}
