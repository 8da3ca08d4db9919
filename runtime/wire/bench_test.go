package wire

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

type order struct {
	ID       string            `json:"id"`
	Status   string            `json:"status"`
	Amount   int64             `json:"amount"`
	Currency string            `json:"currency"`
	Created  string            `json:"created"`
	Customer customer          `json:"customer"`
	Items    []item            `json:"items"`
	Note     *string           `json:"note,omitzero"`
	Labels   map[string]string `json:"labels,omitzero"`
	Paid     bool              `json:"paid"`
	Tax      float64           `json:"tax"`
	Shipped  Nullable[string]  `json:"shipped,omitzero"`
}

type customer struct {
	ID    string  `json:"id"`
	Name  string  `json:"name"`
	Email string  `json:"email"`
	Phone *string `json:"phone,omitzero"`
}

type item struct {
	SKU      string  `json:"sku"`
	Title    string  `json:"title"`
	Quantity int     `json:"quantity"`
	Price    float64 `json:"price"`
}

var orderJSON = []byte(`{"id":"ord_01HZX5T3K8","status":"processing","amount":1299900,"currency":"EUR",
"created":"2024-05-17T09:30:00Z","customer":{"id":"cus_91","name":"Zoë \"Z\" Müller","email":"zoe@example.com","phone":"+49 30 1234567"},
"items":[{"sku":"A-1001","title":"Travel adapter, white","quantity":2,"price":19.99},{"sku":"A-1002","title":"Notebook A5, dotted, 192 pages","quantity":10,"price":8.5},
{"sku":"B-2001","title":"Backpack 24l","quantity":1,"price":129},{"sku":"C-3001","title":"Water bottle","quantity":4,"price":24.9}],
"note":"Leave it at the neighbour's, please; the bell does not work.","labels":{"channel":"web","campaign":"spring","cohort":"b"},
"paid":true,"tax":207.55,"shipped":null,"unknown":{"a":[1,2,3],"b":{"c":"d"}}}`)

func BenchmarkUnmarshal(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var o order
		require.NoError(b, json.Unmarshal(orderJSON, &o))
	}
}

func BenchmarkCheckRequired(b *testing.B) {
	b.ReportAllocs()
	t := reflect.TypeFor[*order]()
	for b.Loop() {
		require.NoError(b, CheckRequired(orderJSON, t))
	}
}

func TestCheckRequiredAllocatesNothing(t *testing.T) {
	typ := reflect.TypeFor[*order]()
	require.NoError(t, CheckRequired(orderJSON, typ))
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = CheckRequired(orderJSON, typ) }))
}
