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
func (t *typer) prune(p place, ref typeRef, fields []string) (typeRef, error) {
	at := typeToken.FindStringIndex(ref.Go)
	if at == nil {
		return ref, fmt.Errorf("%s has no members to choose from: it is %s", p.Part, ref.Go)
	}
	d := t.declOf(ref.Go[at[0]:at[1]])
	if d.Kind != DeclStruct {
		return ref, fmt.Errorf("%s has no members to choose from: it is not an object, or it contains itself", p.Part)
	}
	small := &Decl{Kind: DeclStruct, Doc: d.Doc}
	for _, f := range d.Fields {
		var below []string // paths in the member
		for _, path := range fields {
			if rest, ok := strings.CutPrefix(path, f.JSON+"."); ok {
				below = append(below, rest)
			}
		}
		switch {
		case slices.Contains(fields, f.JSON):
		case below == nil:
			continue
		default:
			inner, err := t.prune(p.within("member "+f.JSON, f.GoName), typeRef{Go: f.Type}, below)
			if err != nil {
				return ref, err
			}
			f.Type = inner.Go
		}
		small.Fields = append(small.Fields, f)
	}
	for _, path := range fields {
		if !slices.ContainsFunc(d.Fields, func(f Field) bool { return path == f.JSON || strings.HasPrefix(path, f.JSON+".") }) {
			names := make([]string, 0, len(d.Fields))
			for _, f := range d.Fields {
				names = append(names, f.JSON)
			}
			return ref, fmt.Errorf("%s has no member %s; it has %s", p.Part, path, strings.Join(names, ", "))
		}
	}
	e := t.declare(typeKey{schemaID{small, 0}, use{Result: true}, ""}, p.GoName, small)
	ref.Go, ref.Struct = ref.Go[:at[0]]+e.ref.Go+ref.Go[at[1]:], small
	return ref, nil
}

// finish names the types. Those of arguments and results that are equal become one. The types go to the service that uses them,
// or to the API if there are several.
func (t *typer) finish() {
	t.breakCycles()
	same := t.equal()
	rename := func(text string) string {
		return typeToken.ReplaceAllStringFunc(text, func(tok string) string { return t.list[same[tokenNumber(tok)]].decl.GoName })
	}
	users := t.users(same)
	used := slices.Sorted(maps.Keys(users))
	t.giveNames(used)
	for _, number := range used {
		d := t.list[number].decl
		t.api.place(d, users[number])
		d.Type = rename(d.Type)
		renameFields(d.Fields, rename)
		for i := range d.Members {
			d.Members[i].GoName = rename(d.Members[i].GoName)
		}
	}
	slices.SortFunc(t.api.Types, func(a, b *Decl) int { return cmp.Compare(a.GoName, b.GoName) })
	for _, s := range t.api.Services {
		slices.SortFunc(s.Types, func(a, b *Decl) int { return cmp.Compare(a.GoName, b.GoName) })
		for _, op := range s.Operations {
			renameFields(op.Args.Fields, rename)
			op.Result.Type = rename(op.Result.Type)
			if op.Body != nil {
				op.Body.Field = rename(op.Body.Field)
			}
			op.renameHidden()
		}
	}
}

func renameFields(fields []Field, rename func(string) string) {
	for i := range fields {
		fields[i].Type, fields[i].GoName = rename(fields[i].Type), rename(fields[i].GoName)
	}
}

// renameHidden renames fields of the arguments that have the name of an embedded struct.
func (op *Operation) renameHidden() {
	taken := make(map[string]bool)
	for _, f := range op.Args.Fields {
		taken[f.GoName] = true
	}
	embedded := func(name string) bool {
		return slices.ContainsFunc(op.Args.Fields, func(f Field) bool { return f.JSON == "" && f.GoName == name })
	}
	for i, f := range op.Args.Fields {
		if f.JSON == "" || !embedded(f.GoName) {
			continue
		}
		op.Args.Fields[i].GoName = uniqueName(taken, f.GoName, "", 0)
		for k := range op.Params {
			if op.Params[k].Field == f.GoName {
				op.Params[k].Field = op.Args.Fields[i].GoName
			}
		}
	}
}

// place adds a declaration to the service that uses it.
func (api *API) place(d *Decl, users []*Service) {
	if len(users) == 1 {
		users[0].Types = append(users[0].Types, d)
		return
	}
	api.Types = append(api.Types, d)
}

func tokenNumber(tok string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(tok, "§")) // typeToken matches only digits
	return n
}

// tokensIn returns the numbers of the types in the Go types of a declaration.
func tokensIn(d *Decl) (numbers []int) {
	texts := []string{d.Type}
	for _, f := range d.Fields {
		texts = append(texts, f.Type)
	}
	for _, m := range d.Members {
		texts = append(texts, m.GoName)
	}
	for _, text := range texts {
		for _, tok := range typeToken.FindAllString(text, -1) {
			numbers = append(numbers, tokenNumber(tok))
		}
	}
	return numbers
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
	same := make([]int, len(t.list))
	groups := make(map[typeKey][]int)
	for number, e := range t.list {
		key := typeKey{id: e.id, without: e.without}
		groups[key] = append(groups[key], number)
	}
	for _, group := range groups {
		slices.SortStableFunc(group, t.byUse)
		for _, number := range group {
			same[number] = group[0]
		}
	}
	for {
		next := slices.Clone(same)
		for _, group := range groups {
			for _, number := range group {
				next[number] = group[slices.IndexFunc(group, func(m int) bool { return same[m] == same[number] && t.isEqual(m, number, same) })]
			}
		}
		if slices.Equal(next, same) {
			return same
		}
		same = next
	}
}

// byUse compares the uses of two types: results come first.
func (t *typer) byUse(a, b int) int {
	return cmp.Compare(len(formSuffix(t.list[a].use)), len(formSuffix(t.list[b].use)))
}

// isEqual reports whether two declarations are equal if the types in same are.
func (t *typer) isEqual(a, b int, same []int) bool {
	class := func(text string) string {
		return typeToken.ReplaceAllStringFunc(text, func(tok string) string { return "§" + strconv.Itoa(same[tokenNumber(tok)]) })
	}
	x, y := t.list[a].decl, t.list[b].decl
	return x.Kind == y.Kind && x.Doc == y.Doc && class(x.Type) == class(y.Type) && x.Schema == y.Schema && x.Discriminator == y.Discriminator &&
		slices.EqualFunc(x.Members, y.Members, func(f, g EnumItem) bool { return f.Value == g.Value && class(f.GoName) == class(g.GoName) }) &&
		slices.EqualFunc(x.Fields, y.Fields, func(f, g Field) bool {
			return f.GoName == g.GoName && f.JSON == g.JSON && class(f.Type) == class(g.Type) && f.Absent == g.Absent &&
				slices.Equal(f.Keywords, g.Keywords) && f.Doc == g.Doc && f.Comment == g.Comment
		})
}

// users returns the services that use each type, by its number, in the order of the services.
func (t *typer) users(same []int) map[int][]*Service {
	users := make(map[int][]*Service)
	var visit func(number int, s *Service)
	visit = func(number int, s *Service) {
		number = same[number]
		if list := users[number]; len(list) > 0 && list[len(list)-1] == s {
			return
		}
		users[number] = append(users[number], s)
		for _, n := range tokensIn(t.list[number].decl) {
			visit(n, s)
		}
	}
	for _, s := range t.api.Services {
		for _, op := range s.Operations {
			for _, n := range tokensIn(&Decl{Type: op.Result.Type, Fields: op.Args.Fields}) {
				visit(n, s)
			}
		}
	}
	return users
}

// giveNames gives the types their names. The results of a schema come first.
func (t *typer) giveNames(used []int) {
	taken := t.taken
	if taken == nil {
		taken = reservedNames()
	}
	forms := make(map[schemaID]bool)
	sorted := slices.Clone(used)
	slices.SortStableFunc(sorted, t.byUse)
	for _, number := range sorted {
		e := t.list[number]
		name := e.want
		if forms[e.id] {
			name += formSuffix(e.use)
		}
		forms[e.id] = true
		e.decl.GoName = uniqueName(taken, name, "", 120)
	}
	for _, number := range used { // constants are in the scope of the types
		d := t.list[number].decl
		for i := range d.Values {
			d.Values[i].GoName = uniqueName(taken, d.GoName+d.Values[i].GoName, "", 0)
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
