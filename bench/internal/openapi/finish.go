package openapi

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var typeToken = regexp.MustCompile(`§[0-9]+`)

// prune returns a copy of the type of a result whose structs have only some members, by their paths: id, owner.login. A list is
// passed through. The structs are named after the operation.
func (t *typer) prune(p place, ref typeRef, fields []string) typeRef {
	at := typeToken.FindStringIndex(ref.Go)
	if at == nil {
		fail("%s has no members to choose from: it is %s", p.Part, ref.Go)
	}
	d := t.declOf(ref.Go[at[0]:at[1]])
	if d.Kind != DeclStruct {
		fail("%s has no members to choose from: it is not an object, or it contains itself", p.Part)
	}
	small := &Decl{Kind: DeclStruct, Doc: d.Doc}
	var names []string
	used := map[string]bool{} // of fields
	for _, f := range d.Fields {
		names = append(names, f.JSON)
		var below []string // paths in the member
		for _, path := range fields {
			if rest, ok := strings.CutPrefix(path, f.JSON+"."); ok {
				below, used[path] = append(below, rest), true
			}
		}
		if slices.Contains(fields, f.JSON) {
			used[f.JSON] = true
		} else if below == nil {
			continue
		} else {
			f.Type = t.prune(p.within("member "+f.JSON, f.GoName), typeRef{Go: f.Type}, below).Go
		}
		small.Fields = append(small.Fields, f)
	}
	for _, path := range fields {
		if !used[path] {
			fail("%s has no member %s; it has %s", p.Part, path, strings.Join(names, ", "))
		}
	}
	e := t.declare(typeKey{schemaID{small, 0}, use{Result: true}, ""}, p.GoName, small)
	ref.Go, ref.Struct = ref.Go[:at[0]]+e.ref.Go+ref.Go[at[1]:], small
	return ref
}

// finish names the types. Those of arguments and results that are equal become one. The types go to the service that uses them,
// or to the API if there are several.
func (t *typer) finish() {
	t.breakCycles()
	same := t.equal()
	users := t.users(same)
	used := slices.Sorted(maps.Keys(users))
	t.giveNames(used)
	rename := func(texts ...*string) {
		for _, text := range texts {
			*text = t.replaced(*text, func(number int) string { return t.list[same[number]].decl.GoName })
		}
	}
	for _, number := range used {
		d := t.list[number].decl
		rename(d.types()...)
		if list := users[number]; len(list) == 1 {
			list[0].Types = append(list[0].Types, d)
		} else {
			t.api.Types = append(t.api.Types, d)
		}
	}
	byName := func(a, b *Decl) int { return cmp.Compare(a.GoName, b.GoName) }
	slices.SortFunc(t.api.Types, byName)
	for _, s := range t.api.Services {
		slices.SortFunc(s.Types, byName)
		for _, op := range s.Operations {
			rename(append(op.Args.types(), &op.Result.Type)...)
			if op.Body != nil {
				rename(&op.Body.Field)
				op.renameHidden()
			}
		}
	}
}

// renameHidden renames fields of parameters that have the name of the embedded struct of the body.
func (op *Operation) renameHidden() {
	taken := make(map[string]bool)
	for _, f := range op.Args.Fields {
		taken[f.GoName] = true
	}
	for i := range op.Params {
		if op.Params[i].Field == op.Body.Field {
			op.Params[i].Field = uniqueName(taken, op.Body.Field, "", 0)
			op.Args.Fields[i].GoName = op.Params[i].Field
		}
	}
}

// types returns the texts of a declaration that may have types.
func (d *Decl) types() []*string {
	texts := []*string{&d.Type}
	for i := range d.Fields {
		texts = append(texts, &d.Fields[i].Type, &d.Fields[i].GoName)
	}
	for i := range d.Members {
		texts = append(texts, &d.Members[i].GoName)
	}
	return texts
}

// replaced returns a text with the tokens of types replaced.
func (t *typer) replaced(text string, with func(number int) string) string {
	return typeToken.ReplaceAllStringFunc(text, func(token string) string {
		if n := tokenNumber(token); n < len(t.list) {
			return with(n)
		}
		return token
	})
}

func tokenNumber(token string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(token, "§")) // typeToken matches only digits
	return n
}

// breakCycles makes the fields pointers through which a struct would contain itself.
func (t *typer) breakCycles() {
	state := make([]int, len(t.list)) // 1: in the chain of structs above, 2: done
	var visit func(number int)
	visit = func(number int) {
		state[number] = 1
		d := t.list[number].decl
		for i := range d.Fields {
			f := &d.Fields[i]
			inner := t.declOf(f.Type)
			if inner == nil || inner.Kind != DeclStruct {
				continue
			}
			switch n := tokenNumber(f.Type); state[n] {
			case 0:
				visit(n)
			case 1:
				f.Type, f.Absent = "*"+f.Type, true
			}
		}
		state[number] = 2
	}
	for number := range t.list {
		if state[number] == 0 {
			visit(number)
		}
	}
}

// equal returns the number of the type that replaces each type: the first one of the same schema that is equal, where results come
// before arguments. Types are equal until they differ, so that recursive types can be.
func (t *typer) equal() []int {
	type class struct { // of the types of a schema
		without string
		before  int // in the previous round
		text    string
	}
	same, order := make([]int, len(t.list)), make([]int, len(t.list))
	for number := range t.list {
		order[number] = number
	}
	slices.SortStableFunc(order, t.byUse)
	numbers, users := make(map[schemaID][]int), make(map[schemaID][]schemaID) // of a schema: its types, and the schemas of types that use them
	check := make(map[schemaID]bool)
	for _, number := range order {
		id := t.list[number].id
		numbers[id], check[id] = append(numbers[id], number), true
		for _, text := range t.list[number].decl.types() {
			t.replaced(*text, func(n int) string { users[t.list[n].id] = append(users[t.list[n].id], id); return "" })
		}
	}
	for len(check) > 0 {
		next, changed := make(map[int]int), make(map[schemaID]bool)
		for id := range check {
			first := make(map[class]int)
			for _, number := range numbers[id] {
				e, d := t.list[number], *t.list[number].decl
				d.GoName = ""
				key := class{e.without, same[number], t.replaced(fmt.Sprintf("%#v", d), func(n int) string { return "§" + strconv.Itoa(same[n]) })}
				if _, ok := first[key]; !ok {
					first[key] = number
				}
				if next[number] = first[key]; next[number] != same[number] {
					changed[id] = true
					for _, user := range users[id] {
						changed[user] = true
					}
				}
			}
		}
		for number, equal := range next {
			same[number] = equal
		}
		check = changed
	}
	return same
}

// byUse compares the uses of two types: results come first.
func (t *typer) byUse(a, b int) int {
	return cmp.Compare(len(formSuffix(t.list[a].use)), len(formSuffix(t.list[b].use)))
}

// users returns the services that use each type, by its number, in the order of the services.
func (t *typer) users(same []int) map[int][]*Service {
	users := make(map[int][]*Service)
	var visit func(number int, s *Service)
	inside := func(texts []*string, s *Service) {
		for _, text := range texts {
			t.replaced(*text, func(number int) string { visit(number, s); return "" })
		}
	}
	visit = func(number int, s *Service) {
		number = same[number]
		if list := users[number]; len(list) > 0 && list[len(list)-1] == s {
			return
		}
		users[number] = append(users[number], s)
		inside(t.list[number].decl.types(), s)
	}
	for _, s := range t.api.Services {
		for _, op := range s.Operations {
			inside(append(op.Args.types(), &op.Result.Type), s)
		}
	}
	return users
}

// giveNames gives the types their names. The results of a schema come first.
func (t *typer) giveNames(used []int) {
	forms := make(map[schemaID]bool)
	for _, number := range slices.SortedStableFunc(slices.Values(used), t.byUse) {
		e := t.list[number]
		name := e.want
		if forms[e.id] {
			name += formSuffix(e.use)
		}
		forms[e.id] = true
		e.decl.GoName = uniqueName(t.taken, name, "", 120)
	}
	for _, number := range used { // constants are in the scope of the types
		d := t.list[number].decl
		for i := range d.Values {
			d.Values[i].GoName = uniqueName(t.taken, d.GoName+d.Values[i].GoName, "", 0)
		}
	}
}

// formSuffix returns what distinguishes the name of a type from that for results.
func formSuffix(u use) string {
	switch {
	case u.Result:
		return ""
	case u.Patch:
		return "Patch"
	}
	return "Input"
}
