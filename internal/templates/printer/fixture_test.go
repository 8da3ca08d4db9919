package printer

import (
	"time"

	"github.com/retrygen/retrygen/internal/spec"
)

func value[T any](v T) spec.Value[T] { return spec.Value[T]{V: v} }

func ref(t *spec.Type) *spec.Ref { return &spec.Ref{Type: t} }

func optional(t *spec.Type) *spec.Ref { return &spec.Ref{Type: t, Form: spec.Pointer} }

func primitive(name string) *spec.Type { return &spec.Type{Kind: spec.Primitive, Go: name} }

func contractOf(idempotency spec.Idempotency) spec.Contract {
	return spec.Contract{
		Idempotency:       value(idempotency),
		MaxAttempts:       value(3),
		Deadline:          value(10 * time.Second),
		MinAttemptBudget:  value(100 * time.Millisecond),
		BackoffBase:       value(100 * time.Millisecond),
		BackoffMax:        value(3 * time.Second),
		BackoffMultiplier: value(2.0),
		RetryAfterMax:     value(10 * time.Second),
	}
}

func code(status int, r *spec.Ref) *spec.Response {
	return &spec.Response{Status: spec.Status{Code: status}, ContentType: "application/json", Type: r}
}

// petsAPI has one of most things.
func petsAPI() *spec.API {
	one, ten := 1, 10
	str := primitive("string")
	kind := &spec.Type{Kind: spec.Enum, Name: spec.Name{Wire: "Kind", Go: "Kind"}, Go: "string", Values: []*spec.EnumValue{
		{Name: spec.Name{Wire: "cat", Go: "KindCat"}, Literal: `"cat"`},
		{Name: spec.Name{Wire: "dog", Go: "KindDog"}, Literal: `"dog"`},
	}}
	short := &spec.Type{Kind: spec.Primitive, Go: "string", Rules: spec.Rules{MinLength: &one, MaxLength: &ten, Pattern: `^\d+$`}}
	small := &spec.Type{Kind: spec.Primitive, Go: "int32", Rules: spec.Rules{Minimum: "1", Maximum: "100"}}
	pet := &spec.Type{Kind: spec.Struct, Name: spec.Name{Wire: "Pet", Go: "Pet"}, Description: "A pet of the store."}
	tags := &spec.Type{Kind: spec.Slice, Elem: ref(short), Rules: spec.Rules{MaxItems: &ten, UniqueItems: true}}
	pet.Fields = []*spec.Field{
		{Name: spec.Name{Wire: "name", Go: "Name"}, Type: ref(str), Required: true, Description: "What it listens to."},
		{Name: spec.Name{Wire: "owner", Go: "Owner"}, Type: ref(short), Required: true},
		{Name: spec.Name{Wire: "kind", Go: "Kind"}, Type: optional(kind)},
		{Name: spec.Name{Wire: "tags", Go: "Tags"}, Type: ref(tags)},
		{Name: spec.Name{Wire: "parents", Go: "Parents"}, Type: ref(&spec.Type{Kind: spec.Slice, Elem: ref(pet)})},
		{Name: spec.Name{Wire: "born", Go: "Born"}, Type: &spec.Ref{Type: &spec.Type{Kind: spec.Primitive, Go: "Date", Import: wirePath}, Form: spec.Nullable}},
		{Name: spec.Name{Wire: "note", Go: "Note"}, Type: &spec.Ref{Type: short, Form: spec.Nullable}, Deprecated: spec.Deprecation{Is: true}},
	}
	problem := &spec.Type{Kind: spec.Struct, Name: spec.Name{Wire: "Problem", Go: "Problem"}, Extra: ref(str), ExtraField: "AdditionalProperties", Fields: []*spec.Field{
		{Name: spec.Name{Wire: "title", Go: "Title"}, Type: ref(str), Required: true},
	}}
	key := &spec.Scheme{Name: spec.Name{Wire: "apiKey", Go: "APIKey"}, Header: "X-Api-Key"}
	token := &spec.Scheme{Name: spec.Name{Wire: "token", Go: "Token"}, Kind: spec.Bearer}
	either := []spec.Requirement{{Schemes: []*spec.Scheme{key}}, {Schemes: []*spec.Scheme{token}}}
	petID := &spec.Param{Name: spec.Name{Wire: "petId", Go: "petID"}, In: "path", Required: true, Type: ref(short)}
	failure := &spec.Response{Status: spec.Status{Default: true}, ContentType: "application/json", Type: ref(problem)}

	create := &spec.Operation{
		Name: spec.Name{Wire: "createPet", Go: "CreatePet"}, Var: "createPet", ReadFunc: "readCreatePet",
		ResultType: "CreatePetResult",
		Method:     "POST", Route: "/pets", Path: []spec.PathPart{{Literal: "/pets"}},
		Body: &spec.Body{Arg: "pet", Required: true, ContentType: "application/json", Form: spec.Replayable, Type: ref(pet)},
		Responses: []*spec.Response{
			{Status: spec.Status{Code: 201}, ContentType: "application/json", Type: ref(pet), Field: "Created"},
			{Status: spec.Status{Code: 202}, ContentType: "application/json", Type: ref(str), Field: "Accepted"},
			failure,
		},
		Contract: contractOf(spec.IdempotentByKey), Security: either,
	}
	create.Contract.Replayability = value(spec.Replayable)
	create.Contract.Key = spec.Key{Header: value("Idempotency-Key"), Template: value("pet-{owner}"), Retention: value(24 * time.Hour),
		Parts: []spec.KeyPart{{Literal: "pet-"}, {Fields: pet.Fields[1:2]}}}
	remove := &spec.Operation{
		Name: spec.Name{Wire: "deletePet", Go: "DeletePet"}, Var: "deletePet", ReadFunc: "readDeletePet",
		Method: "DELETE", Route: "/pets/{petId}", Path: []spec.PathPart{{Literal: "/pets/"}, {Param: petID}},
		PathParams: []*spec.Param{petID}, Responses: []*spec.Response{code(204, nil), failure}, Contract: contractOf(spec.Undeclared),
		Security: either,
	}
	list := &spec.Operation{
		Name: spec.Name{Wire: "listPets", Go: "ListPets"}, Var: "listPets", ParamsType: "ListPetsParams", ReadFunc: "readListPets",
		Method: "GET", Route: "/pets", Path: []spec.PathPart{{Literal: "/pets"}}, Summary: "Lists pets.",
		Query: []*spec.Param{
			{Name: spec.Name{Wire: "tag", Go: "Tag"}, In: "query", Required: true, Explode: true, Type: ref(tags)},
			{Name: spec.Name{Wire: "ids", Go: "IDs"}, In: "query", Type: ref(&spec.Type{Kind: spec.Slice, Elem: ref(primitive("int64"))})},
			{Name: spec.Name{Wire: "limit", Go: "Limit"}, In: "query", Type: optional(small)},
			{Name: spec.Name{Wire: "since", Go: "Since"}, In: "query", Type: optional(&spec.Type{Kind: spec.Primitive, Go: "Time", Import: "time"})},
		},
		Headers:   []*spec.Param{{Name: spec.Name{Wire: "X-Request-Id", Go: "XRequestID"}, In: "header", Type: optional(str)}},
		Responses: []*spec.Response{code(200, ref(&spec.Type{Kind: spec.Slice, Elem: ref(pet)})), failure},
		Contract:  contractOf(spec.Idempotent),
	}
	update := &spec.Operation{
		Name: spec.Name{Wire: "updatePet", Go: "UpdatePet"}, Var: "updatePet", ReadFunc: "readUpdatePet",
		Method: "PATCH", Route: "/pets/{petId}", Path: []spec.PathPart{{Literal: "/pets/"}, {Param: petID}}, PathParams: []*spec.Param{petID},
		Body:      &spec.Body{Arg: "pet", ContentType: "application/json", Form: spec.Replayable, Type: ref(pet)},
		Responses: []*spec.Response{code(200, ref(pet)), code(204, nil), code(404, ref(problem))},
		Contract:  contractOf(spec.NotIdempotent), Deprecated: spec.Deprecation{Is: true},
	}
	upload := &spec.Operation{
		Name: spec.Name{Wire: "uploadPhoto", Go: "UploadPhoto"}, Var: "uploadPhoto", ReadFunc: "readUploadPhoto",
		Method: "PUT", Route: "/photos", Path: []spec.PathPart{{Literal: "/photos"}},
		Body:     &spec.Body{Arg: "photo", Required: true, ContentType: "image/png", Encoding: spec.Raw, Form: spec.OneShot},
		Contract: contractOf(spec.NotIdempotent), Responses: []*spec.Response{code(204, nil)},
	}
	upload.Contract.Replayability = value(spec.OneShot)
	return &spec.API{
		Package: "pets", Title: "Pets", Version: "1.0.0", Description: "A store.",
		Servers: []*spec.Server{{URL: "https://{region}.example.com/v1", Variables: []*spec.ServerVariable{
			{Name: spec.Name{Wire: "region", Go: "Region"}, Default: "eu", Enum: []string{"eu", "us"}, Description: "Where the data lives."},
		}}},
		Upstream: spec.Upstream{Name: value("pets"), BudgetRatio: value(0.1), BudgetWindow: value(time.Minute),
			BudgetMinPerWindow: value(10), MaxConnections: value(50)},
		Schemes: []*spec.Scheme{key, token}, Operations: []*spec.Operation{create, remove, list, update, upload},
		Types: []*spec.Type{kind, pet, problem},
	}
}
