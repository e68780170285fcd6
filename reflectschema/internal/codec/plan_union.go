package codec

import (
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// planArm is the plan for a member of a union.
type planArm struct {
	*Arm
	rules *rules.Rules // of its branch
	plan  *Plan        // of the struct
}

// completeUnion binds each member of a union to the branch for its name.
func (b *planner) completeUnion(p *Plan) bool {
	u := p.rules.Union
	if !b.unchecked && (u == nil || u.Discriminator != p.node.Discriminator || len(u.Branches) != len(p.node.Arms)) {
		return false
	}
	p.arms = make([]planArm, len(p.node.Arms))
	for i := range p.node.Arms {
		a := &p.node.Arms[i]
		branch := rules.Anything
		if !b.unchecked {
			branch = u.Branches[a.Name]
		}
		if branch == nil {
			return false
		}
		// The struct by itself has another plan, because it has no field for the discriminator.
		inner := &Plan{kind: KindStruct, node: a.Node, rules: branch, direction: b.direction, unchecked: b.unchecked}
		if !b.completeStruct(inner, p.node.Discriminator) {
			return false
		}
		p.arms[i] = planArm{a, branch, inner}
	}
	return true
}

// decodeUnion decodes an object into an interface. Without a collector, the first member must be the discriminator.
func (p *Plan) decodeUnion(r *reader, dst reflect.Value) bool {
	var a *planArm
	var n int
	var more, ok bool
	if r.collect != nil {
		if a = p.findArm(r); a == nil {
			r.Value()
			return true
		}
		more, ok = r.Open('{', '}')
	} else {
		if a = p.openArm(r); a == nil {
			return false
		}
		n = 1
		more, ok = r.Next('}')
	}
	if !ok || !r.Memory.Take(int(a.Node.GoType.Size())) {
		return false
	}
	made := reflect.New(a.Node.GoType)
	if !a.plan.decodeMembers(r, made.Elem(), n, more) {
		return false
	}
	if a.GoType.Kind() != reflect.Pointer {
		made = made.Elem()
	}
	dst.Set(made)
	return true
}

// openArm enters an object and reads its first member, the discriminator. It returns nil if there is no arm for it.
func (p *Plan) openArm(r *reader) *planArm {
	branch := p.rules.Union.Open(&r.Reader)
	for i := range p.arms {
		if p.arms[i].rules == branch {
			return &p.arms[i]
		}
	}
	return nil
}

// findArm returns the arm for the discriminator of the next object, which may be any of its members. If there is none, it
// records a violation.
func (p *Plan) findArm(r *reader) *planArm {
	name, given := r.discriminator(p.node.Discriminator)
	for i := range p.arms {
		if given && p.arms[i].Name == name {
			return &p.arms[i]
		}
	}
	v := Violation{Keyword: "required", Want: p.node.armNames()}
	if given {
		v.Keyword, v.Got = "enum", show.Quote(name, show.MaxText)
	}
	r.collect.enterMember(p.node.Discriminator)
	r.collect.fail(v)
	r.collect.leave()
	return nil
}
