package reflectschema

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// unionRules are a oneOf whose branches are objects that each want another text in
// one and the same member: a value that fits one of them fits no other. The plan
// reads such an object if that member comes first.
type unionRules struct {
	discriminator string
	branches      map[string]*rules // by text
}

// union reads the one form of oneOf that the plan knows.
func (b *rulebook) union(d *jsondoc.Value) (*rules, bool) {
	branches := d.Get("oneOf")
	if branches.Kind != jsontext.KindBeginArray || len(branches.Items) == 0 || !onlyBeside(d, "oneOf") {
		return nil, false
	}
	u := &unionRules{branches: map[string]*rules{}}
	for _, item := range branches.Items {
		if item.Get("$ref") != nil {
			return nil, false // its rules may still be growing
		}
		branch, ok := b.schema(item)
		if !ok || !u.add(item, branch) {
			return nil, false
		}
	}
	return &rules{types: typeObject, union: u}, true
}

// add adds a branch, or reports that it cannot be told from the others.
func (u *unionRules) add(d *jsondoc.Value, branch *rules) bool {
	if branch.types != typeObject {
		return false
	}
	properties := d.Get("properties")
	if properties == nil {
		return false
	}
	for _, m := range properties.Members {
		tag := branch.object.members[m.Name]
		if u.discriminator != "" && m.Name != u.discriminator || !branch.object.required[m.Name] || tag.types&typeString == 0 || tag.choice == nil {
			continue
		}
		text, ok := tag.choice.only()
		if !ok || u.branches[text] != nil || !tag.allowsText([]byte(text), new(int)) || !branch.object.allowsName([]byte(m.Name), new(int)) {
			return false
		}
		u.discriminator, u.branches[text] = m.Name, branch
		return true
	}
	return false
}

// check is rules.check for an object, which it looks into to find the branch.
func (u *unionRules) check(r *reader) bool {
	ahead := *r
	branch := u.open(&ahead)
	return branch != nil && branch.checkObject(r)
}

// open steps into an object and reads its first member, the discriminator. It returns
// the branch that this names, or nil.
func (u *unionRules) open(r *reader) *rules {
	if !r.open('{') {
		return nil
	}
	name, ok := r.name()
	if !ok || string(name) != u.discriminator {
		return nil
	}
	text, ok := r.text()
	if !ok {
		return nil
	}
	return u.branches[string(text)]
}
