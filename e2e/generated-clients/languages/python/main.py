"""A platform's backend: it signs a customer in, pays by a signed quote and by a transfer, reads pages, an error and a webhook."""

import base64
import os
from typing import Any, TypeVar

from countersign import AuthenticatedClient
from countersign.api.customers import customer_create, customer_get, customer_list
from countersign.api.external_accounts import customer_external_account_create
from countersign.api.internal_accounts import customer_internal_account_list
from countersign.api.quotes import quote_create, quote_execute
from countersign.api.sandbox import sandbox_account_fund
from countersign.api.transactions import transaction_get
from countersign.api.transfers import transfer_out
from countersign.api.wallet_sign_in import credential_challenge, credential_list, credential_verify
from countersign import models
from standardwebhooks import Webhook, WebhookVerificationError

import device

CENTS = 2500

T = TypeVar("T")

credentials = base64.b64encode(f"{os.environ['TOKEN_ID']}:{os.environ['CLIENT_SECRET']}".encode()).decode()
client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=credentials, prefix="Basic", timeout=60)


def expect(answer: Any, kind: type[T]) -> T:
    """The body of a call, which must be of this kind: each error is a class of its own."""
    if not isinstance(answer, kind):
        raise RuntimeError(f"{answer}")
    return answer


def create_customer(email: str) -> str:
    body = models.IndividualCustomerCreateRequest(
        customer_type=models.IndividualCustomerCreateRequestCustomerType.INDIVIDUAL,
        full_name="Ada Lovelace",
        email=email,
    )
    return expect(customer_create.sync(client=client, body=body), models.IndividualCustomer).id


def accounts_of(customer_id: str) -> tuple[str, str]:
    page = expect(
        customer_internal_account_list.sync(client=client, customer_id=customer_id), models.InternalAccountPage
    )
    wallet = next(one.id for one in page.data if one.type_ == models.InternalAccountType.EMBEDDED_WALLET)
    dollars = next(
        one.id
        for one in page.data
        if one.type_ == models.InternalAccountType.INTERNAL_FIAT and one.balance.currency.code == "USD"
    )
    return wallet, dollars


def fund(account_id: str, amount: int) -> None:
    body = models.SandboxFundRequest(amount=amount)
    expect(sandbox_account_fund.sync(account_id, client=client, body=body), models.InternalAccount)


def add_bank_account(customer_id: str) -> str:
    info = models.UsdAccountCreateInfo(
        account_type=models.UsdAccountCreateInfoAccountType.USD_ACCOUNT,
        account_number="000123456789",
        routing_number="021000021",
        beneficiary=models.IndividualBeneficiary(
            beneficiary_type=models.IndividualBeneficiaryBeneficiaryType.INDIVIDUAL, full_name="Ada Lovelace"
        ),
    )
    body = models.ExternalAccountCreateRequest(customer_id=customer_id, currency="USD", account_info=info)
    return expect(customer_external_account_create.sync(client=client, body=body), models.ExternalAccount).id


def sign_in(wallet: str) -> str:
    """Has a code sent, lets the device seal it, and calls twice: the second time with the stamp of the device."""
    credential = expect(credential_list.sync(client=client, account_id=wallet), models.AuthMethodList).data[0].id
    challenge = expect(credential_challenge.sync(credential, client=client), models.OtpAuthChallenge)
    body = models.EmailOtpVerifyRequest(
        type_=models.EmailOtpVerifyRequestType.EMAIL_OTP,
        encrypted_otp_bundle=device.seal(str(challenge.otp_encryption_target_bundle), wallet),
    )
    asked = expect(
        credential_verify.sync(credential, client=client, body=body), models.SignedRequestChallenge
    )
    session = credential_verify.sync(
        credential,
        client=client,
        body=body,
        svc_wallet_signature=device.approve_sign_in(asked.payload_to_sign, wallet),
        request_id=asked.request_id,
    )
    return expect(session, models.AuthSession).type_


def pay(wallet: str, bank: str) -> tuple[str, str]:
    body = models.QuoteRequest(
        source=models.QuoteSourceAccount(
            source_type=models.QuoteSourceAccountSourceType.ACCOUNT, account_id=wallet
        ),
        destination=models.QuoteDestinationAccount(
            destination_type=models.QuoteDestinationAccountDestinationType.ACCOUNT, account_id=bank
        ),
        locked_currency_side=models.LockedCurrencySide.RECEIVING,
        locked_currency_amount=CENTS,
    )
    quote = expect(quote_create.sync(client=client, body=body), models.Quote)
    key = f"pay-{quote.id}"
    asked = expect(
        quote_execute.sync(quote.id, client=client, idempotency_key=key), models.SignedRequestChallenge
    )
    executed = quote_execute.sync(
        quote.id,
        client=client,
        idempotency_key=key,
        svc_wallet_signature=device.approve(asked.payload_to_sign, wallet, quote.id),
        request_id=asked.request_id,
    )
    return expect(executed, models.Quote).status, outcome(quote.transaction_id)


def transfer(account_id: str, bank: str) -> str:
    """The answer has a class of its own: it says INCOMING, and has what money that leaves has."""
    body = models.TransferOutRequest(
        source=models.InternalAccountReference(account_id=account_id),
        destination=models.ExternalAccountDestinationReference(account_id=bank),
        amount=CENTS,
    )
    made = expect(transfer_out.sync(client=client, body=body), models.TransferOut)
    if made.sent_amount.amount != CENTS:
        raise RuntimeError(f"sent {made.sent_amount}")
    return outcome(made.id)


def outcome(transaction_id: str) -> str:
    for _ in range(2000):
        found = expect(transaction_get.sync(transaction_id, client=client), models.OutgoingTransaction)
        if found.status not in (models.PaymentStatus.PENDING, models.PaymentStatus.PROCESSING):
            return found.status
    raise RuntimeError(f"{transaction_id} does not end")


def read_pages() -> int:
    """Makes four more customers, and reads all five, one a page."""
    for number in range(4):
        create_customer(f"customer-{number}@example.com")
    page = expect(customer_list.sync(client=client, limit=1), models.CustomerPage)
    pages = 1
    while page.has_more:
        page = expect(customer_list.sync(client=client, limit=1, cursor=page.next_cursor), models.CustomerPage)
        pages += 1
    return pages


def read_error() -> str:
    answer = customer_get.sync("Customer:00000000-0000-7000-8000-000000000000", client=client)
    return expect(answer, models.Error404).code


def verify_webhook() -> str:
    delivery = device.webhook()
    webhook = Webhook(delivery["secret"])
    webhook.verify(delivery["body"], delivery["headers"])
    try:
        webhook.verify(delivery["body"] + " ", delivery["headers"])
    except WebhookVerificationError:
        return "VERIFIED"
    raise RuntimeError("a changed body passed")


customer = create_customer("ada@example.com")
wallet_id, dollars_id = accounts_of(customer)
fund(wallet_id, 100_000_000)
fund(dollars_id, 10_000)
bank_id = add_bank_account(customer)
signed_in = sign_in(wallet_id)
execution, payment = pay(wallet_id, bank_id)
device.finish(
    session=signed_in,
    execution=execution,
    payment=payment,
    transfer=transfer(dollars_id, bank_id),
    pages=read_pages(),
    error=read_error(),
    webhook=verify_webhook(),
)
