package mcptool_test

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// A Channel is how customers are notified. Some tools support only a part.
type Channel interface{ isChannel() }

type (
	Email struct {
		Address string `json:"address" jsonschema:"format=email"`
	}
	Pager struct {
		Number string `json:"number"`
	}
)

func (Email) isChannel() {}
func (Pager) isChannel() {}

type NotifyIn struct {
	Channel Channel `json:"channel"`
}

func Notify(_ context.Context, in NotifyIn) (string, error) {
	return fmt.Sprintf("notified %v", in.Channel), nil
}

func newNotifiers() (all, mail *mcptool.Tool, err error) {
	all, err = mcptool.New(Notify, mcptool.Types(
		reflectschema.WithUnion("by", map[string]Channel{"email": Email{}, "pager": Pager{}})))
	if err != nil {
		return nil, nil, err
	}
	mail, err = mcptool.New(Notify, mcptool.Name("notify_by_mail"), mcptool.Types(
		reflectschema.WithUnion("by", map[string]Channel{"email": Email{}})))
	return all, mail, err
}

// Two tools support different members of one interface.
func ExampleTypes() {
	all, mail, err := newNotifiers()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tool := range []*mcptool.Tool{all, mail} {
		result, err := tool.Call(context.Background(), []byte(`{"channel":{"by":"pager","number":"42"}}`))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s\n", result.Structured)
	}
	// Output:
	// "notified {42}"
	// notify_by_mail: invalid arguments
	// channel.by: must be one of "email", got "pager"
	// Example: {"channel":{"by":"email","address":"ada@example.com"}}
}
