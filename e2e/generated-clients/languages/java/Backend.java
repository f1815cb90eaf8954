import static com.example.countersign.api.CustomersApi.*;
import static com.example.countersign.api.ExternalAccountsApi.*;
import static com.example.countersign.api.InternalAccountsApi.*;
import static com.example.countersign.api.QuotesApi.*;
import static com.example.countersign.api.SandboxApi.*;
import static com.example.countersign.api.TransactionsApi.*;
import static com.example.countersign.api.TransfersApi.*;
import static com.example.countersign.api.WalletSignInApi.*;

import com.example.countersign.ApiClient;
import com.example.countersign.ApiException;
import com.example.countersign.api.CustomersApi;
import com.example.countersign.api.ExternalAccountsApi;
import com.example.countersign.api.InternalAccountsApi;
import com.example.countersign.api.QuotesApi;
import com.example.countersign.api.SandboxApi;
import com.example.countersign.api.TransactionsApi;
import com.example.countersign.api.TransfersApi;
import com.example.countersign.api.WalletSignInApi;
import com.example.countersign.model.*;
import com.fasterxml.jackson.databind.JsonNode;
import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A platform's backend: it signs a customer in, pays by a signed quote and by a transfer, reads pages, an error and a webhook. */
public final class Backend {
  private static final long CENTS = 2500;

  private final ApiClient client = new ApiClient();
  private final Device device = new Device();

  /** A response with status 202: the customer's device is to sign `payloadToSign` of the challenge. */
  private static final class SignatureRequired extends RuntimeException {
    final transient SignedRequestChallenge challenge;

    SignatureRequired(SignedRequestChallenge challenge) {
      super("The call needs a signature.");
      this.challenge = challenge;
    }
  }

  private Backend(String baseUrl, String user, String password) {
    String credentials = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    client.updateBaseUri(baseUrl);
    client.setRequestInterceptor(request -> request.header("Authorization", "Basic " + credentials));
    client.setResponseInterceptor(this::throwChallenge);
  }

  /** The generated calls return the type of the 200, so that a challenge leaves them as an exception. */
  private void throwChallenge(HttpResponse<InputStream> response) {
    if (response.statusCode() != 202) return;
    try (InputStream body = ApiClient.getResponseBody(response)) {
      throw new SignatureRequired(client.getObjectMapper().readValue(body, SignedRequestChallenge.class));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String createCustomer(String email) throws ApiException {
    var body = new IndividualCustomerCreateRequest()
        .customerType(IndividualCustomerCreateRequest.CustomerTypeEnum.INDIVIDUAL)
        .fullName("Ada Lovelace")
        .email(email);
    Customer created = new CustomersApi(client).customerCreate(
        APICustomerCreateRequest.newBuilder().customerCreateRequest(new CustomerCreateRequest(body)).build());
    return ((IndividualCustomer) created.getActualInstance()).getId();
  }

  private List<InternalAccount> accountsOf(String customer) throws ApiException {
    return new InternalAccountsApi(client).customerInternalAccountList(
        APICustomerInternalAccountListRequest.newBuilder().customerId(customer).build()).getData();
  }

  private void fund(String account, long amount) throws ApiException {
    new SandboxApi(client).sandboxAccountFund(APISandboxAccountFundRequest.newBuilder()
        .accountId(account)
        .sandboxFundRequest(new SandboxFundRequest().amount(amount))
        .build());
  }

  private String addBankAccount(String customer) throws ApiException {
    var beneficiary = new IndividualBeneficiary()
        .beneficiaryType(IndividualBeneficiary.BeneficiaryTypeEnum.INDIVIDUAL)
        .fullName("Ada Lovelace");
    var info = new UsdAccountCreateInfo()
        .accountType(UsdAccountCreateInfo.AccountTypeEnum.USD_ACCOUNT)
        .accountNumber("000123456789")
        .routingNumber("021000021")
        .beneficiary(new Beneficiary(beneficiary));
    var body = new ExternalAccountCreateRequest()
        .customerId(customer)
        .currency("USD")
        .accountInfo(new ExternalAccountCreateInfo(info));
    return new ExternalAccountsApi(client).customerExternalAccountCreate(
        APICustomerExternalAccountCreateRequest.newBuilder().externalAccountCreateRequest(body).build()).getId();
  }

  /** Has a code sent, lets the device seal it, and calls twice: the second time with the stamp of the device. */
  private String signIn(String wallet) throws ApiException, IOException {
    var api = new WalletSignInApi(client);
    String credential =
        api.credentialList(APICredentialListRequest.newBuilder().accountId(wallet).build()).getData().get(0).getId();
    // Left out, the body would be sent as `null`.
    var empty = new CredentialChallengeRequest();
    var begin = APICredentialChallengeRequest.newBuilder().id(credential).credentialChallengeRequest(empty).build();
    var challenge = (OtpAuthChallenge) api.credentialChallenge(begin).getActualInstance();
    var body = new EmailOtpVerifyRequest()
        .type(EmailOtpVerifyRequest.TypeEnum.EMAIL_OTP)
        .encryptedOtpBundle(device.seal(challenge.getOtpEncryptionTargetBundle(), wallet));
    var request = APICredentialVerifyRequest.newBuilder()
        .id(credential)
        .credentialVerifyRequest(new CredentialVerifyRequest(body));
    try {
      api.credentialVerify(request.build());
      throw new IllegalStateException("The sign-in needed no signature.");
    } catch (SignatureRequired asked) {
      String stamp = device.approveSignIn(asked.challenge.getPayloadToSign(), wallet);
      request.svcWalletSignature(stamp).requestId(asked.challenge.getRequestId());
      return api.credentialVerify(request.build()).getType().getValue();
    }
  }

  private Quote createQuote(String wallet, String bank) throws ApiException {
    var source = new QuoteSourceAccount().sourceType(QuoteSourceAccount.SourceTypeEnum.ACCOUNT).accountId(wallet);
    var destination = new QuoteDestinationAccount()
        .destinationType(QuoteDestinationAccount.DestinationTypeEnum.ACCOUNT)
        .accountId(bank);
    var body = new QuoteRequest()
        .source(new QuoteSource(source))
        .destination(new QuoteDestination(destination))
        .lockedCurrencySide(LockedCurrencySide.RECEIVING)
        .lockedCurrencyAmount(CENTS);
    return new QuotesApi(client).quoteCreate(APIQuoteCreateRequest.newBuilder().quoteRequest(body).build());
  }

  private Quote pay(String wallet, Quote quote) throws ApiException, IOException {
    var api = new QuotesApi(client);
    var request = APIQuoteExecuteRequest.newBuilder().quoteId(quote.getId()).idempotencyKey("pay-" + quote.getId());
    try {
      api.quoteExecute(request.build());
      throw new IllegalStateException("The payment needed no signature.");
    } catch (SignatureRequired asked) {
      String stamp = device.approve(asked.challenge.getPayloadToSign(), wallet, quote.getId());
      request.svcWalletSignature(stamp).requestId(asked.challenge.getRequestId());
      return api.quoteExecute(request.build());
    }
  }

  /** The answer has a class of its own: it says INCOMING, and has what money that leaves has. */
  private String transfer(String account, String bank) throws ApiException {
    var body = new TransferOutRequest()
        .source(new InternalAccountReference().accountId(account))
        .destination(new ExternalAccountDestinationReference().accountId(bank))
        .amount(CENTS);
    TransferOut made =
        new TransfersApi(client).transferOut(APITransferOutRequest.newBuilder().transferOutRequest(body).build());
    if (made.getSentAmount().getAmount() != CENTS) throw new IllegalStateException("sent " + made.getSentAmount());
    return outcome(made.getId());
  }

  private String outcome(String transaction) throws ApiException {
    var request = APITransactionGetRequest.newBuilder().transactionId(transaction).build();
    for (int reads = 0; reads < 2000; reads++) {
      var found = (OutgoingTransaction) new TransactionsApi(client).transactionGet(request).getActualInstance();
      PaymentStatus status = found.getStatus();
      if (status != PaymentStatus.PENDING && status != PaymentStatus.PROCESSING) return status.getValue();
    }
    throw new IllegalStateException(transaction + " does not end");
  }

  /** Makes four more customers, and reads all five, one a page. */
  private int readPages() throws ApiException {
    for (int number = 0; number < 4; number++) createCustomer("customer-" + number + "@example.com");
    var api = new CustomersApi(client);
    var request = APICustomerListRequest.newBuilder().limit(1);
    var all = new ArrayList<Customer>();
    CustomerPage page;
    do {
      page = api.customerList(request.build());
      all.addAll(page.getData());
      request.cursor(page.getNextCursor());
    } while (page.getHasMore());
    return all.size();
  }

  private Error404Code readError() throws IOException {
    var request = APICustomerGetRequest.newBuilder().customerId("Customer:00000000-0000-7000-8000-000000000000");
    try {
      throw new IllegalStateException("found " + new CustomersApi(client).customerGet(request.build()));
    } catch (ApiException e) {
      return client.getObjectMapper().readValue(e.getResponseBody(), Error404.class).getCode();
    }
  }

  private String verifyWebhook() throws Exception {
    JsonNode delivery = device.webhook();
    var webhook = new Webhook(delivery.get("secret").asText());
    var values = new TreeMap<String, List<String>>();
    delivery.get("headers").fields().forEachRemaining((one) -> values.put(one.getKey(), List.of(one.getValue().asText())));
    var headers = HttpHeaders.of(values, (name, value) -> true);
    String body = delivery.get("body").asText();
    webhook.verify(body, headers);
    try {
      webhook.verify(body + " ", headers);
    } catch (WebhookVerificationException expected) {
      return "VERIFIED";
    }
    throw new IllegalStateException("a changed body passed");
  }

  private void run() throws Exception {
    String customer = createCustomer("ada@example.com");
    String wallet = null;
    String dollars = null;
    for (InternalAccount account : accountsOf(customer)) {
      if (account.getType() == InternalAccountType.EMBEDDED_WALLET) wallet = account.getId();
      else if (account.getBalance().getCurrency().getCode().equals("USD")) dollars = account.getId();
    }
    fund(wallet, 100_000_000);
    fund(dollars, 10_000);
    String bank = addBankAccount(customer);
    String session = signIn(wallet);
    Quote quote = createQuote(wallet, bank);
    Quote executed = pay(wallet, quote);
    device.finish(Map.of(
        "session", session,
        "execution", executed.getStatus(),
        "payment", outcome(quote.getTransactionId()),
        "transfer", transfer(dollars, bank),
        "pages", readPages(),
        "error", readError(),
        "webhook", verifyWebhook()));
  }

  public static void main(String[] args) throws Exception {
    new Backend(System.getenv("BASE_URL"), System.getenv("TOKEN_ID"), System.getenv("CLIENT_SECRET")).run();
  }
}
