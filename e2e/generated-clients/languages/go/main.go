// A platform's backend: it signs a customer in, pays by a signed quote and by a transfer, reads pages, an error and a webhook.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	api "example.com/backend/countersign"
	"github.com/oapi-codegen/runtime/types"
	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const cents = 2500

var ctx = context.Background()

func main() {
	client, err := api.NewClientWithResponses(os.Getenv("BASE_URL"), api.WithRequestEditorFn(authenticate))
	check(err)
	backend := backend{client: client, device: openDevice()}
	customer := backend.createCustomer("ada@example.com")
	wallet, dollars := backend.accountsOf(customer)
	backend.fund(wallet, 100_000_000)
	backend.fund(dollars, 10_000)
	bank := backend.addBankAccount(customer)
	session := backend.signIn(wallet)
	execution, payment := backend.pay(wallet, bank)
	transfer := backend.transferOut(dollars, bank)
	backend.device.finish(map[string]any{
		"session":   session,
		"execution": execution,
		"payment":   payment,
		"transfer":  transfer,
		"pages":     backend.readPages(),
		"error":     backend.readError(),
		"webhook":   backend.verifyWebhook(),
	})
}

func authenticate(_ context.Context, request *http.Request) error {
	request.SetBasicAuth(os.Getenv("TOKEN_ID"), os.Getenv("CLIENT_SECRET"))
	return nil
}

type backend struct {
	client *api.ClientWithResponses
	device *device
}

func (b backend) createCustomer(email string) string {
	var body api.CustomerCreateRequest
	name, address := "Ada Lovelace", types.Email(email)
	check(body.FromIndividualCustomerCreateRequest(api.IndividualCustomerCreateRequest{FullName: &name, Email: &address}))
	answer, err := b.client.CustomerCreateWithResponse(ctx, nil, body)
	check(err)
	customer, err := expect(answer.JSON201, answer.Body).AsIndividualCustomer()
	check(err)
	return customer.Id
}

func (b backend) accountsOf(customer string) (wallet, dollars string) {
	answer, err := b.client.CustomerInternalAccountListWithResponse(ctx, &api.CustomerInternalAccountListParams{CustomerId: &customer})
	check(err)
	for _, account := range expect(answer.JSON200, answer.Body).Data {
		if account.Type == "EMBEDDED_WALLET" {
			wallet = account.Id
		} else if account.Type == "INTERNAL_FIAT" && account.Balance.Currency.Code == "USD" {
			dollars = account.Id
		}
	}
	return wallet, dollars
}

func (b backend) fund(account string, amount int64) {
	answer, err := b.client.SandboxAccountFundWithResponse(ctx, account, nil, api.SandboxFundRequest{Amount: amount})
	check(err)
	expect(answer.JSON200, answer.Body)
}

func (b backend) addBankAccount(customer string) string {
	var beneficiary api.Beneficiary
	check(beneficiary.FromIndividualBeneficiary(api.IndividualBeneficiary{FullName: "Ada Lovelace"}))
	var info api.ExternalAccountCreateInfo
	check(info.FromUsdAccountCreateInfo(api.UsdAccountCreateInfo{
		AccountNumber: "000123456789",
		RoutingNumber: "021000021",
		Beneficiary:   beneficiary,
	}))
	body := api.ExternalAccountCreateRequest{CustomerId: &customer, Currency: "USD", AccountInfo: info}
	answer, err := b.client.CustomerExternalAccountCreateWithResponse(ctx, nil, body)
	check(err)
	return expect(answer.JSON201, answer.Body).Id
}

// signIn has a code sent, lets the device seal it, and calls twice: the second time with the stamp of the device.
func (b backend) signIn(wallet string) api.AuthMethodType {
	list, err := b.client.CredentialListWithResponse(ctx, &api.CredentialListParams{AccountId: wallet})
	check(err)
	credential := expect(list.JSON200, list.Body).Data[0].Id
	begun, err := b.client.CredentialChallengeWithResponse(ctx, credential, nil, api.CredentialChallengeRequest{})
	check(err)
	challenge, err := expect(begun.JSON200, begun.Body).AsOtpAuthChallenge()
	check(err)
	var body api.CredentialVerifyRequest
	check(body.FromEmailOtpVerifyRequest(api.EmailOtpVerifyRequest{
		EncryptedOtpBundle: b.device.seal(*challenge.OtpEncryptionTargetBundle, wallet),
	}))
	first, err := b.client.CredentialVerifyWithResponse(ctx, credential, nil, body)
	check(err)
	asked := expect(first.JSON202, first.Body)
	stamp := b.device.approveSignIn(asked.PayloadToSign, wallet)
	params := api.CredentialVerifyParams{SvcWalletSignature: &stamp, RequestId: &asked.RequestId}
	second, err := b.client.CredentialVerifyWithResponse(ctx, credential, &params, body)
	check(err)
	return expect(second.JSON200, second.Body).Type
}

func (b backend) pay(wallet, bank string) (api.PaymentStatus, string) {
	var source api.QuoteSource
	check(source.FromQuoteSourceAccount(api.QuoteSourceAccount{AccountId: wallet}))
	var destination api.QuoteDestination
	check(destination.FromQuoteDestinationAccount(api.QuoteDestinationAccount{AccountId: bank}))
	created, err := b.client.QuoteCreateWithResponse(ctx, nil, api.QuoteRequest{
		Source:               source,
		Destination:          destination,
		LockedCurrencySide:   api.LockedCurrencySide("RECEIVING"),
		LockedCurrencyAmount: cents,
	})
	check(err)
	quote := expect(created.JSON201, created.Body)
	key := "pay-" + quote.Id
	first, err := b.client.QuoteExecuteWithResponse(ctx, quote.Id, &api.QuoteExecuteParams{IdempotencyKey: &key})
	check(err)
	asked := expect(first.JSON202, first.Body)
	stamp := b.device.approve(asked.PayloadToSign, wallet, quote.Id)
	params := api.QuoteExecuteParams{IdempotencyKey: &key, SvcWalletSignature: &stamp, RequestId: &asked.RequestId}
	second, err := b.client.QuoteExecuteWithResponse(ctx, quote.Id, &params)
	check(err)
	return expect(second.JSON200, second.Body).Status, b.outcome(quote.TransactionId)
}

// transferOut gets a class of its own: the answer says INCOMING, and has what money that leaves has.
func (b backend) transferOut(account, bank string) string {
	amount := int64(cents)
	answer, err := b.client.TransferOutWithResponse(ctx, nil, api.TransferOutRequest{
		Source:      api.InternalAccountReference{AccountId: account},
		Destination: api.ExternalAccountDestinationReference{AccountId: bank},
		Amount:      &amount,
	})
	check(err)
	transfer := expect(answer.JSON201, answer.Body)
	if transfer.SentAmount.Amount != cents {
		fail(fmt.Errorf("sent %d", transfer.SentAmount.Amount))
	}
	return b.outcome(transfer.Id)
}

func (b backend) outcome(transaction string) string {
	for range 2000 {
		answer, err := b.client.TransactionGetWithResponse(ctx, transaction)
		check(err)
		found, err := expect(answer.JSON200, answer.Body).AsOutgoingTransaction()
		check(err)
		if found.Status != "PENDING" && found.Status != "PROCESSING" {
			return string(found.Status)
		}
	}
	fail(fmt.Errorf("%s does not end", transaction))
	return ""
}

// readPages makes four more customers, and reads all five, one a page.
func (b backend) readPages() int {
	for number := range 4 {
		b.createCustomer(fmt.Sprintf("customer-%d@example.com", number))
	}
	limit, pages := 1, 0
	params := api.CustomerListParams{Limit: &limit}
	for {
		answer, err := b.client.CustomerListWithResponse(ctx, &params)
		check(err)
		page := expect(answer.JSON200, answer.Body)
		pages += len(page.Data)
		if !page.HasMore {
			return pages
		}
		params.Cursor = page.NextCursor
	}
}

func (b backend) readError() api.Error404Code {
	answer, err := b.client.CustomerGetWithResponse(ctx, "Customer:00000000-0000-7000-8000-000000000000")
	check(err)
	return expect(answer.JSON404, answer.Body).Code
}

func (b backend) verifyWebhook() string {
	delivery := b.device.webhook()
	webhook, err := webhooks.NewWebhook(delivery.Secret)
	check(err)
	headers := http.Header{}
	for name, value := range delivery.Headers {
		headers.Set(name, value)
	}
	check(webhook.Verify([]byte(delivery.Body), headers))
	if webhook.Verify([]byte(delivery.Body+" "), headers) == nil {
		fail(fmt.Errorf("a changed body passed"))
	}
	return "VERIFIED"
}

// expect returns the body of the status that a call is to have.
func expect[T any](body *T, raw []byte) *T {
	if body == nil {
		fail(fmt.Errorf("%s", raw))
	}
	return body
}

func check(err error) {
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
