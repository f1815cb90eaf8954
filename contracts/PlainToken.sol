// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

/// A token for tests, without signed transfers. Everybody may mint and freeze: its units are worth nothing.
contract PlainToken {
    string public name;
    string public symbol;
    uint8 public immutable decimals;
    uint256 public totalSupply;

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public isFrozen;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Frozen(address indexed account);
    event Unfrozen(address indexed account);

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        require(allowed >= value, "Token: more than was allowed");
        // The largest allowance has no end.
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        _move(from, to, value);
        return true;
    }

    function mint(address to, uint256 value) external {
        require(to != address(0), "Token: the zero address");
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    /// Ends all transfers from and to an account, as issuers of real dollars can.
    function freeze(address account) external {
        isFrozen[account] = true;
        emit Frozen(account);
    }

    function unfreeze(address account) external {
        isFrozen[account] = false;
        emit Unfrozen(account);
    }

    function _move(address from, address to, uint256 value) internal {
        require(to != address(0), "Token: the zero address");
        require(!isFrozen[from] && !isFrozen[to], "Token: the account is frozen");
        uint256 balance = balanceOf[from];
        require(balance >= value, "Token: more than the balance");
        unchecked {
            balanceOf[from] = balance - value;
            balanceOf[to] += value;
        }
        emit Transfer(from, to, value);
    }
}
