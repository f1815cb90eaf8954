module example.com/countersign/signing

go 1.26
