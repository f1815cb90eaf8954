// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {PlainToken} from "./PlainToken.sol";

/// A test dollar whose holders can sign transfers that anybody may bring to the chain: EIP-3009 over EIP-712.
contract Token is PlainToken {
    string public version;

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH =
        keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    /// Half of the order of secp256k1. A signature with a larger s has a twin, which is refused.
    uint256 private constant S_MAX = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

    /// Whether a nonce of an authorizer was used or cancelled.
    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    constructor(string memory name_, string memory symbol_, string memory version_, uint8 decimals_)
        PlainToken(name_, symbol_, decimals_)
    {
        version = version_;
    }

    /// Computed at each call, so that it is right on a copy of the chain with another id too.
    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(
            abi.encode(
                DOMAIN_TYPEHASH, keccak256(bytes(name)), keccak256(bytes(version)), block.chainid, address(this)
            )
        );
    }

    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        uint8 v, bytes32 r, bytes32 s
    ) external {
        _authorized(
            TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce,
            abi.encodePacked(r, s, v)
        );
    }

    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        bytes memory signature
    ) external {
        _authorized(
            TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce, signature
        );
    }

    /// Only the payee may bring it, so nobody can use it before a contract that wants to see it arrive.
    function receiveWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        uint8 v, bytes32 r, bytes32 s
    ) external {
        require(to == msg.sender, "Token: only the payee may receive");
        _authorized(
            RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce,
            abi.encodePacked(r, s, v)
        );
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        _useNonce(authorizer, nonce);
        _requireSigned(
            authorizer, keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce)),
            abi.encodePacked(r, s, v)
        );
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function _authorized(
        bytes32 typeHash,
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        bytes memory signature
    ) private {
        require(block.timestamp > validAfter, "Token: the authorization is not valid yet");
        require(block.timestamp < validBefore, "Token: the authorization has expired");
        _useNonce(from, nonce);
        _requireSigned(
            from, keccak256(abi.encode(typeHash, from, to, value, validAfter, validBefore, nonce)), signature
        );
        emit AuthorizationUsed(from, nonce);
        _move(from, to, value);
    }

    function _useNonce(address authorizer, bytes32 nonce) private {
        require(!authorizationState[authorizer][nonce], "Token: the authorization was used or cancelled");
        authorizationState[authorizer][nonce] = true;
    }

    function _requireSigned(address signer, bytes32 structHash, bytes memory signature) private view {
        require(signature.length == 65, "Token: the signature is not of 65 bytes");
        bytes32 r;
        bytes32 s;
        assembly {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
        }
        require(uint256(s) <= S_MAX, "Token: the signature has a large s");
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), structHash));
        address recovered = ecrecover(digest, uint8(signature[64]), r, s);
        require(recovered != address(0) && recovered == signer, "Token: the signature is not the holder's");
    }
}
