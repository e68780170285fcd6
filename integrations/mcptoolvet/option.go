package mcptoolvet

import (
	"go/ast"
	"go/constant"
	"go/token"
	"log/slog"
	"reflect"

	"github.com/mcptool-go/mcptool/mcptool"
)

// optionFuncs are the options whose arguments may be constants.
var optionFuncs = map[string]any{
	"Name": mcptool.Name, "NamePrefix": mcptool.NamePrefix, "Title": mcptool.Title, "Description": mcptool.Description,
	"ReadOnly": mcptool.ReadOnly, "Destructive": mcptool.Destructive, "Idempotent": mcptool.Idempotent, "OpenWorld": mcptool.OpenWorld,
	"AskFirst": mcptool.AskFirst, "Task": mcptool.Task, "Durable": mcptool.Durable, "TaskTTL": mcptool.TaskTTL, "PollInterval": mcptool.PollInterval,
	"Group": mcptool.Group, "Scopes": mcptool.Scopes, "Timeout": mcptool.Timeout, "Concurrent": mcptool.Concurrent,
	"AuditArguments": mcptool.AuditArguments, "Coerce": mcptool.Coerce, "InputSchema": mcptool.InputSchema, "OutputSchema": mcptool.OutputSchema, "OmitOutputSchema": mcptool.OmitOutputSchema,
	"URI": mcptool.URI, "MIMEType": mcptool.MIMEType, "Size": mcptool.Size, "Audience": mcptool.Audience, "Priority": mcptool.Priority,
	"Verbatim": mcptool.Verbatim, "ExceptMethods": mcptool.ExceptMethods,
}

// unchecked are the options that change no other check, whose values are not looked at. The types that Types describes
// count as registered.
var unchecked = map[string]bool{
	"Icons": true, "Meta": true, "VisibleIf": true, "Use": true, "Attach": true, "RateLimit": true,
	"Complete": true, "ListWith": true, "MayRead": true,
}

// options are the options of one call.
type options struct {
	list     []any
	complete bool // every option is known
}

// optionsOf returns the options that apply to one kind of items.
func optionsOf[O any](opts options) (list []O) {
	for _, opt := range opts.list {
		if o, ok := opt.(O); ok {
			list = append(list, o)
		}
	}
	return list
}

// options returns the options of a call as far as they are constant.
func (c *checker) options(expr *ast.CallExpr) options {
	opts := options{complete: expr.Ellipsis == token.NoPos}
	for _, arg := range expr.Args[1:] {
		made, ok := ast.Unparen(arg).(*ast.CallExpr)
		if !ok {
			opts.complete = false
			continue
		}
		call := c.callOf(made)
		switch fn := optionFuncs[call.name]; {
		case call.pkg != toolPackage:
			opts.complete = false
		case call.name == "OutputType" && len(call.typeArgs) == 1 && !hasTypeParam(call.typeArgs[0]):
			opts.list = append(opts.list, registration.OutputType(c.types.reflect(call.typeArgs[0])))
		case call.name == "LogSchemaMistakes":
			opts.list = append(opts.list, mcptool.LogSchemaMistakes(slog.New(slog.DiscardHandler)))
		case fn != nil:
			if values, ok := c.constants(made, reflect.TypeOf(fn)); ok {
				opts.list = append(opts.list, reflect.ValueOf(fn).Call(values)[0].Interface())
				continue
			}
			opts.complete = false
		case !unchecked[call.name]:
			opts.complete = false
		}
	}
	return opts
}

// constants returns the arguments of a call, if all of them are constant.
func (c *checker) constants(call *ast.CallExpr, fn reflect.Type) (values []reflect.Value, ok bool) {
	for i, arg := range call.Args {
		param := fn.In(min(i, fn.NumIn()-1))
		if fn.IsVariadic() && i >= fn.NumIn()-1 {
			param = param.Elem()
		}
		v := reflect.New(param).Elem()
		if !setConstant(v, c.constant(arg)) {
			return nil, false
		}
		values = append(values, v)
	}
	return values, call.Ellipsis == token.NoPos
}

// constant returns the value of a constant, also of one in a conversion such as json.RawMessage(`{}`), otherwise nil.
func (c *checker) constant(expr ast.Expr) constant.Value {
	expr = ast.Unparen(expr)
	info := c.pass.TypesInfo
	if value := info.Types[expr].Value; value != nil {
		return value
	}
	if call, ok := expr.(*ast.CallExpr); ok && len(call.Args) == 1 && info.Types[call.Fun].IsType() {
		return c.constant(call.Args[0])
	}
	return nil
}

// setConstant stores a constant, and reports whether it has the kind of v.
func setConstant(v reflect.Value, value constant.Value) bool {
	if value == nil {
		return false
	}
	switch {
	case v.Kind() == reflect.String && value.Kind() == constant.String:
		v.SetString(constant.StringVal(value))
	case v.Kind() == reflect.Slice && value.Kind() == constant.String:
		v.SetBytes([]byte(constant.StringVal(value)))
	case v.Kind() == reflect.Bool && value.Kind() == constant.Bool:
		v.SetBool(constant.BoolVal(value))
	case v.CanFloat():
		f, _ := constant.Float64Val(constant.ToFloat(value))
		v.SetFloat(f)
	default:
		whole := constant.ToInt(value)
		if n, exact := constant.Int64Val(whole); whole.Kind() == constant.Int && exact && v.CanInt() {
			v.SetInt(n)
			return true
		}
		n, exact := constant.Uint64Val(whole)
		if whole.Kind() != constant.Int || !exact || !v.CanUint() {
			return false
		}
		v.SetUint(n)
	}
	return true
}
