package jwtauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-jose/go-jose/v4/json" // case-sensitive, and refuses duplicate names

	"github.com/mcptool-go/mcptool/internal/bytesize"
)

// maxBody bounds what is read of an answer of the issuer.
const maxBody = 256 << 10

// issuer sends requests to the authorization server.
type issuer struct {
	id     string
	url    *url.URL
	client *http.Client
}

// newIssuer returns the issuer with this identifier, which has been checked. It follows no
// redirects: they could lead to any host.
func newIssuer(id string, client *http.Client) *issuer {
	own := *cmp.Or(client, http.DefaultClient)
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	u, _ := url.Parse(id)
	return &issuer{id: id, url: u, client: &own}
}

// metadata are the members of the issuer's metadata that this package uses.
type metadata struct {
	Issuer        string `json:"issuer"`
	Keys          string `json:"jwks_uri"`
	Introspection string `json:"introspection_endpoint"`
}

// metadata fetches the metadata: by RFC 8414, or if that fails by OpenID Connect Discovery.
func (i *issuer) metadata(ctx context.Context) (*metadata, error) {
	host, path := i.url.Scheme+"://"+i.url.Host, strings.TrimSuffix(i.url.EscapedPath(), "/")
	var errs []error
	for _, location := range []string{
		host + "/.well-known/oauth-authorization-server" + path,
		host + path + "/.well-known/openid-configuration",
	} {
		var m metadata
		err := i.get(ctx, location, &m)
		if err == nil && m.Issuer != i.id {
			err = fmt.Errorf("%s is the metadata of %q, and not of %q", location, m.Issuer, i.id)
		}
		if err == nil {
			return &m, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// sameHost returns a URL of the metadata if it is on the host of the issuer.
func (i *issuer) sameHost(name, location, option string) (string, error) {
	u, err := trustedURL(location)
	if err != nil || !strings.EqualFold(u.Host, i.url.Host) {
		return "", fmt.Errorf("%s %q in the metadata is not on the host of the issuer; if it is right, set %s", name, location, option)
	}
	return location, nil
}

// get fetches a JSON document.
func (i *issuer) get(ctx context.Context, location string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, location, http.NoBody)
	if err != nil {
		return err
	}
	return i.do(r, into)
}

// do sends a request and decodes the JSON of the answer, which must have status 200.
func (i *issuer) do(r *http.Request, into any) error {
	r.Header.Set("Accept", "application/json")
	response, err := i.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers with status %d", r.URL.Redacted(), response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = fmt.Errorf("the answer is longer than %s", bytesize.Text(maxBody))
	}
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.URL.Redacted(), err)
	}
	return nil
}
