package reflectschema

import (
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// planArm is a member of a union.
type planArm struct {
	*arm
	rules *rules.Rules // of its branch
	plan  *plan        // of the struct
}

// completeUnion binds each member of a union to the branch with its name.
func (b *planner) completeUnion(p *plan) bool {
	u := p.rules.Union
	if u == nil || u.Discriminator != p.node.discriminator || len(u.Branches) != len(p.node.arms) {
		return false
	}
	p.arms = make([]planArm, len(p.node.arms))
	for i := range p.node.arms {
		a := &p.node.arms[i]
		branch := u.Branches[a.name]
		if branch == nil {
			return false
		}
		// The struct has no field for the discriminator, which makes this plan another
		// than that of the struct by itself.
		inner := &plan{kind: kindStruct, node: a.node, rules: branch, direction: b.direction}
		if !b.completeTagged(inner, u.Discriminator) {
			return false
		}
		p.arms[i] = planArm{a, branch, inner}
	}
	return true
}

// decodeUnion reads an object whose first member is the discriminator.
func (p *plan) decodeUnion(r *rules.Reader, dst reflect.Value) bool {
	branch := p.rules.Union.Open(r)
	if branch == nil {
		return false
	}
	for i := range p.arms {
		a := &p.arms[i]
		if a.rules != branch {
			continue
		}
		more, ok := r.Next('}')
		if !ok || !r.Memory.Take(int(a.node.goType.Size())) {
			return false
		}
		made := reflect.New(a.node.goType)
		if !a.plan.decodeMembers(r, made.Elem(), 1, more) {
			return false
		}
		if a.goType.Kind() != reflect.Pointer {
			made = made.Elem()
		}
		dst.Set(made)
		return true
	}
	return false
}

// encodeUnion appends what an interface holds, the discriminator first.
func (p *plan) encodeUnion(dst []byte, v reflect.Value, depth, most int) ([]byte, bool) {
	held := v.Elem()
	if held.Kind() == reflect.Pointer {
		held = held.Elem()
	}
	if !held.IsValid() {
		return append(dst, "null"...), p.null
	}
	for i := range p.arms {
		if a := &p.arms[i]; a.node.goType == held.Type() {
			return a.plan.encodeMembers(append(dst, a.open...), held, 1, depth, most)
		}
	}
	return dst, false
}
