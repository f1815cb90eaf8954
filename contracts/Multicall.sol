// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// Makes many calls in one transaction. Its one function has the selector and the types of the contract that real
/// networks have at 0xcA11bde05977b3631167028862bE2a173976CA11.
contract Multicall {
    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success, bytes memory returnData) = calls[i].target.call(calls[i].callData);
            require(success || calls[i].allowFailure, "Multicall: a call failed");
            results[i] = Result(success, returnData);
        }
    }
}
