package rules

import (
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Union is an anyOf or oneOf whose branches are objects that each require a different
// string in the same member, the discriminator, so that a value can fit only one
// of them, and both keywords mean the same. Objects are read only if the discriminator is the first member.
type Union struct {
	Discriminator string
	Branches      map[string]*Rules // by the string of the discriminator
}

// union returns the rules of an anyOf or oneOf, if it has the supported form.
func (b *rulebook) union(d *jsondoc.Value, keyword string) (*Rules, bool) {
	branches := d.Get(keyword)
	if branches.Kind != rawjson.Array || len(branches.Items) == 0 || !onlyBeside(d, keyword) {
		return nil, false
	}
	u := &Union{Branches: map[string]*Rules{}}
	for _, item := range branches.Items {
		if item.Get("$ref") != nil {
			return nil, false // the rules of its target may be incomplete
		}
		branch, ok := b.schema(item)
		if !ok || !u.add(item, branch) {
			return nil, false
		}
	}
	return &Rules{Types: jsondoc.TypeObject, Union: u, Document: d}, true
}

// add adds a branch. It reports false if the branch has no discriminator, or not the same as the others, or if its
// string is not unique.
func (u *Union) add(d *jsondoc.Value, branch *Rules) bool {
	if branch.Types != jsondoc.TypeObject {
		return false
	}
	properties := d.Get("properties")
	if properties == nil {
		return false
	}
	for _, m := range properties.Members {
		tag := branch.Object.Members[m.Name]
		if u.Discriminator != "" && m.Name != u.Discriminator || !branch.Object.Required[m.Name] || tag.Types&jsondoc.TypeString == 0 || tag.Choice == nil {
			continue
		}
		text, ok := tag.Choice.only()
		if !ok || u.Branches[text] != nil || !tag.AllowsText([]byte(text), new(int)) || !branch.Object.AllowsName([]byte(m.Name), new(int)) {
			return false
		}
		u.Discriminator, u.Branches[text] = m.Name, branch
		return true
	}
	return false
}

// check is [Rules.Check] for an object. It reads the discriminator in advance to find the branch.
func (u *Union) check(r *Reader) bool {
	ahead := *r
	branch := u.Open(&ahead)
	return branch != nil && branch.checkObject(r)
}

// Open enters an object and reads its first member, the discriminator. It returns the branch
// with this discriminator, nil if there is none or the first member is another one.
func (u *Union) Open(r *Reader) *Rules {
	if more, _ := r.Open('{', '}'); !more {
		return nil
	}
	name, ok := r.Name()
	if !ok || string(name) != u.Discriminator {
		return nil
	}
	text, ok := r.Text()
	if !ok {
		return nil
	}
	return u.Branches[string(text)]
}
