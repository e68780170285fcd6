package rules

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Union are a oneOf whose branches are objects that each want another text in
// one and the same member: a value that fits one of them fits no other. The plan
// reads such an object if that member comes first.
type Union struct {
	Discriminator string
	Branches      map[string]*Rules // by text
}

// union reads the one form of oneOf that the plan knows.
func (b *rulebook) union(d *jsondoc.Value) (*Rules, bool) {
	branches := d.Get("oneOf")
	if branches.Kind != jsontext.KindBeginArray || len(branches.Items) == 0 || !onlyBeside(d, "oneOf") {
		return nil, false
	}
	u := &Union{Branches: map[string]*Rules{}}
	for _, item := range branches.Items {
		if item.Get("$ref") != nil {
			return nil, false // its rules may still be growing
		}
		branch, ok := b.schema(item)
		if !ok || !u.add(item, branch) {
			return nil, false
		}
	}
	return &Rules{Types: jsondoc.TypeObject, Union: u, Document: d}, true
}

// add adds a branch, or reports that it cannot be told from the others.
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

// check is rules.check for an object, which it looks into to find the branch.
func (u *Union) check(r *Reader) bool {
	ahead := *r
	branch := u.Open(&ahead)
	return branch != nil && branch.checkObject(r)
}

// Open steps into an object and reads its first member, the discriminator. It returns
// the branch that this names, or nil.
func (u *Union) Open(r *Reader) *Rules {
	if !r.Open('{') {
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
