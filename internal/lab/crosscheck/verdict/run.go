package verdict

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// Plan configures the amount of work per subject.
type Plan struct {
	Seed    uint64 // combined with the name of the subject
	Inputs  int    // per subject
	Outputs int    // per subject and direction
}

// shareOfCalls is the inverse of the share of inputs that are also passed to the tool.
const shareOfCalls = 4

// Check checks one subject and adds the results to the report.
func Check(ctx context.Context, s Subject, p Plan, r *Report) {
	t, err := prepare(s)
	if errors.Is(err, errRefused) {
		r.Types.Refused++
		r.Refusals.add(reasonClass(err))
		return
	}
	r.Types.Accepted++
	if err != nil {
		r.wrong(Wrong{Subject: s.Name, Source: s.Source(), What: err.Error()})
		return
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.Name))
	run := &run{trial: t, Rand: rand.New(rand.NewPCG(p.Seed, h.Sum64())), report: r}
	t.in.samples, t.out.samples = t.in.fitting(), t.out.fitting()
	run.outputs(t.in, t.Type, p.Outputs)
	run.outputs(t.out, t.outType(), p.Outputs)
	run.inputs(ctx, p.Inputs)
}

// outType returns the Go type of results.
func (t *trial) outType() reflect.Type {
	if t.Subject.out != nil {
		return t.Subject.out
	}
	return t.Type
}

// run is the check of one subject.
type run struct {
	*trial
	*rand.Rand
	report *Report
	failed bool // one counter-example per subject is enough
}

// outputs checks the encoding of values of a type.
func (r *run) outputs(s side, goType reflect.Type, count int) {
	for range count {
		v := r.value(s, goType)
		f := s.output(v)
		r.report.count(&r.report.Outputs, f)
		r.note(f, "output", func() Wrong {
			return Wrong{Schema: string(s.Schema().JSON()), Value: fmt.Sprintf("%+v", v)}
		})
	}
}

// value generates a value: an arbitrary one, or a decoded sample of the schema, changed in one place.
func (r *run) value(s side, goType reflect.Type) reflect.Value {
	v := reflect.New(goType).Elem()
	f := filler{r.Rand, s.hints}
	if len(s.samples) == 0 || r.IntN(3) == 0 {
		f.fill(v, deepest)
		return v
	}
	_ = s.Decode(pick(r.Rand, s.samples), v) // rejections of valid samples are detected elsewhere
	if r.IntN(2) == 0 {
		f.disturb(v, deepest)
	}
	return v
}

// fitting returns the valid samples of the schema.
func (s side) fitting() [][]byte {
	var fit [][]byte
	for _, sample := range samples.Of(s.Schema()) {
		if sample.Fits {
			fit = append(fit, sample.JSON)
		}
	}
	return fit
}

// inputs decodes inputs of the type, and calls the tool with some of them.
func (r *run) inputs(ctx context.Context, count int) {
	valid := r.valid()
	m := mutator{r.Rand, r.in.hints}
	for i := range count {
		data := pick(r.Rand, valid).JSON()
		if i%8 > 0 {
			root, _ := parse(data) // valid JSON
			data = m.mutate(root)
		}
		f := r.input(data)
		r.report.count(&r.report.Inputs, f)
		r.note(f, "input", func() Wrong { return shrink(r.trial, data, "input", (*trial).input) })
		if i%shareOfCalls > 0 {
			continue
		}
		answer := r.value(r.out, r.outType())
		call := func(t *trial, data []byte) finding {
			if t != r.trial {
				return t.call(ctx, data, reflect.New(t.outType()).Elem())
			}
			return t.call(ctx, data, answer)
		}
		f = call(r.trial, data)
		r.report.count(&r.report.Calls, f)
		r.note(f, "call", func() Wrong { return shrink(r.trial, data, "call", call) })
	}
}

// valid returns valid inputs, derived from the schema and from values.
func (r *run) valid() []*node {
	var valid []*node
	add := func(data []byte) {
		if root, err := parse(data); err == nil && r.in.judge.refuses(data) == nil {
			valid = append(valid, root)
		}
	}
	for _, data := range r.in.samples {
		add(data)
	}
	for range 8 {
		if data, err := encode(r.in, r.value(r.in, r.Type)); err == nil {
			add(data)
		}
	}
	if len(valid) == 0 {
		r.report.Empty++
		valid = append(valid, &node{kind: '{'})
	}
	return valid
}

// note records a finding.
func (r *run) note(f finding, what string, example func() Wrong) {
	if f.class != "" {
		r.report.Differences.add(what + ": " + f.class)
	}
	if f.wrong == "" || r.failed {
		return
	}
	r.failed = true
	w := example()
	if w.What == "" {
		w.What = what + ": " + f.wrong
	}
	if w.Subject == "" {
		w.Subject, w.Source = r.Name, r.Source()
	}
	r.report.wrong(w)
}
