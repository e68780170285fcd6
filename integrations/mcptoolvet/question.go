package mcptoolvet

import (
	"go/ast"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// questions are the funcs that send requests to the client. Their last result is an error.
var questions = []string{"AskAll", "Confirm", "Elicit", "ElicitSchema", "ElicitURL"}

// ignoredErrors reports questions whose error is ignored. A func runs on after such a call as if the user had answered,
// and if the client answers in a later request, it never gets to the question.
func (c *checker) ignoredErrors() {
	c.inspector().Preorder([]ast.Node{(*ast.ExprStmt)(nil), (*ast.AssignStmt)(nil), (*ast.GoStmt)(nil), (*ast.DeferStmt)(nil)}, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.ExprStmt:
			c.ignored(n.X)
		case *ast.GoStmt:
			c.ignored(n.Call)
		case *ast.DeferStmt:
			c.ignored(n.Call)
		case *ast.AssignStmt:
			if last, ok := n.Lhs[len(n.Lhs)-1].(*ast.Ident); ok && last.Name == "_" && len(n.Rhs) == 1 {
				c.ignored(n.Rhs[0])
			}
		}
	})
}

func (c *checker) ignored(expr ast.Expr) {
	made, ok := ast.Unparen(expr).(*ast.CallExpr)
	if !ok {
		return
	}
	if call := c.callOf(made); call.pkg == toolPackage && slices.Contains(questions, call.name) {
		c.report(analysis.Diagnostic{
			Pos: made.Pos(), End: made.Lparen,
			Message: "the error of " + call.name + " is ignored: without an answer the func must end with this error; return it",
		})
	}
}
