// Vendor of the Store Integration Service: sells one product for L$ and store credit.
//
// Put this script into an object with a notecard named "vendor" that holds
//
//     service = https://the.address.of.your.service
//     key = sis_live_...
//     product = the product's UUID
//
// The key needs the scopes of the preset "vendor". See README.md beside this file.

string NOTECARD = "vendor";

// A sale that is not settled lives in linkset data under "sis:" and the sale's id, and survives a reset and a restart of the
// region. Its first letter says how far it is: S a sale that the service has not answered, O L$ owed to the buyer, P L$
// that are on their way to the buyer.
string OPEN = "sis:";

integer SESSION = 120;
integer PATIENCE = 90;
float TICK = 20.0;

string gService;
string gKey;
string gProduct;
string gName;
integer gPrice;
integer gLine;
key gLineQuery;
key gNotecard;
key gProductRequest = NULL_KEY;
integer gReady;
list gTold;

// The avatar who uses the vendor, until when, and on which terms.
key gBuyer = NULL_KEY;
integer gUntil;
string gRecipient;
integer gUseCredit;
integer gToPay;
string gQuote;
key gQuoteRequest = NULL_KEY;
integer gChannel;
integer gListen;
string gMenu;

// The sale and the payment under way, one at a time.
string gSale;
key gSaleRequest = NULL_KEY;
integer gSaleAt;
string gPayment;
key gTransaction = NULL_KEY;

complain(string text)
{
    if (llListFindList(gTold, [text]) >= 0) return;
    if (llGetListLength(gTold) >= 10) gTold = [];
    gTold += text;
    llInstantMessage(llGetOwner(), "Vendor: " + text);
}

// A JSON string. llList2Json is not used: it takes a text such as "[A] lamp" for an array.
string quoted(string text)
{
    text = llReplaceSubString(text, "\\", "\\\\", 0);
    text = llReplaceSubString(text, "\"", "\\\"", 0);
    text = llReplaceSubString(text, "\n", " ", 0);
    return "\"" + text + "\"";
}

key post(string path, string body)
{
    return llHTTPRequest(gService + path, [
        HTTP_METHOD, "POST",
        HTTP_MIMETYPE, "application/json",
        HTTP_CUSTOM_HEADER, "X-API-Key", gKey
    ], body);
}

// Without the permission to give L$ back the vendor takes none.
integer maySell()
{
    return gReady && (llGetPermissions() & PERMISSION_DEBIT);
}

// The pay button has exactly one price, or there is none.
showPrice(integer price)
{
    if (maySell() && price > 0) llSetPayPrice(PAY_HIDE, [price, PAY_HIDE, PAY_HIDE, PAY_HIDE]);
    else llSetPayPrice(PAY_HIDE, [PAY_HIDE, PAY_HIDE, PAY_HIDE, PAY_HIDE]);
    if (gReady) llSetText(gName + "\nL$ " + (string)gPrice, <1.0, 1.0, 1.0>, 1.0);
}

endSession()
{
    gBuyer = NULL_KEY;
    gQuote = "";
    gQuoteRequest = NULL_KEY;
    gMenu = "";
    llListenRemove(gListen);
    showPrice(gPrice);
}

startSession(key buyer)
{
    endSession();
    gBuyer = buyer;
    gRecipient = (string)buyer;
    gUseCredit = FALSE;
    gUntil = llGetUnixTime() + SESSION;
    gChannel = (integer)("0x" + llGetSubString((string)llGenerateKey(), 0, 6)) | 0x80000000;
    gListen = llListen(gChannel, "", buyer, "");
    gMenu = "menu";
    llSetTimerEvent(TICK);
    llDialog(buyer, gName + "\nL$ " + (string)gPrice + "\nBuy it, use your store credit first, or give it to somebody.",
        ["Buy", "Use credit", "Gift", "Cancel"], gChannel);
}

// The fields that a quote and its sale share.
string terms(key buyer, string recipient, integer useCredit)
{
    string credit = "false";
    if (useCredit) credit = "true";
    return "\"productId\":" + quoted(gProduct) + ",\"buyerIdentifier\":" + quoted((string)buyer)
        + ",\"recipientIdentifier\":" + quoted(recipient) + ",\"useCredit\":" + credit;
}

askQuote()
{
    gQuoteRequest = post("/v1/quotes", "{" + terms(gBuyer, gRecipient, gUseCredit) + "}");
    if (gQuoteRequest == NULL_KEY)
    {
        llRegionSayTo(gBuyer, 0, "Too many requests now. Please try again in half a minute.");
        endSession();
    }
}

string sentence(string refusal)
{
    if (refusal == "closed") return "The store is closed.";
    if (refusal == "banned") return "This store does not sell to you or the recipient.";
    if (refusal == "inactive") return "The product is not for sale now.";
    if (refusal == "sold-out") return "The product is sold out.";
    if (refusal == "underpaid") return "That is less than the price.";
    if (refusal == "unknown-resident") return "The service knows no avatar of that name.";
    return "The price or your credit has changed meanwhile. Please touch again.";
}

quoteAnswered(integer status, string body)
{
    if (status != 200)
    {
        if (status == 400) llRegionSayTo(gBuyer, 0, sentence("unknown-resident"));
        else llRegionSayTo(gBuyer, 0, "The store does not answer now. Please try again later.");
        if (status != 400) complain("the service answered a quote with " + (string)status + ". 415: check the key in the notecard; it needs the scope sales:write.");
        endSession();
        return;
    }
    string refusal = llJsonGetValue(body, ["refusal"]);
    if (refusal != JSON_NULL)
    {
        llRegionSayTo(gBuyer, 0, sentence(refusal));
        endSession();
        return;
    }
    gQuote = llJsonGetValue(body, ["quote"]);
    gToPay = (integer)llJsonGetValue(body, ["toPay"]);
    gUntil = llGetUnixTime() + SESSION;
    if (gToPay > 0)
    {
        showPrice(gToPay);
        llRegionSayTo(gBuyer, 0, "Please pay L$ " + (string)gToPay + " to this object within two minutes.");
        return;
    }
    gMenu = "confirm";
    llDialog(gBuyer, gName + "\nYour store credit pays it all.", ["Confirm", "Cancel"], gChannel);
}

// Keeps the sale before it is sent, so that no payment is lost.
sell(key buyer, integer paid)
{
    string id = (string)llGenerateKey();
    string body = "{\"id\":" + quoted(id) + ",\"paid\":" + (string)paid + ",";
    if (buyer == gBuyer && gQuote != "" && llGetUnixTime() <= gUntil)
        body += terms(buyer, gRecipient, gUseCredit) + ",\"quote\":" + quoted(gQuote) + "}";
    else body += terms(buyer, (string)buyer, FALSE) + "}";
    if (buyer == gBuyer) endSession();
    if (llLinksetDataWrite(OPEN + id, "S" + body) != LINKSETDATA_OK)
    {
        complain("its memory is full. It gave L$ " + (string)paid + " back.");
        if (paid > 0) llTransferLindenDollars(buyer, paid);
        return;
    }
    settle();
}

// Takes the next step of what is open: sends one sale, and gives back one sum.
settle()
{
    integer now = llGetUnixTime();
    list open = llLinksetDataFindKeys("^" + OPEN, 0, 20);
    integer i;
    for (i = 0; i < llGetListLength(open); ++i)
    {
        string entry = llList2String(open, i);
        string value = llLinksetDataRead(entry);
        string stage = llGetSubString(value, 0, 0);
        if (stage == "S" && (gSaleRequest == NULL_KEY || now - gSaleAt > PATIENCE))
        {
            gSale = entry;
            gSaleAt = now;
            gSaleRequest = post("/v1/sales", llDeleteSubString(value, 0, 0));
        }
        else if (stage == "O" && gTransaction == NULL_KEY && (llGetPermissions() & PERMISSION_DEBIT)) giveBack(entry, value);
        else if (stage == "P" && entry != gPayment)
        {
            // The region died before it said whether the L$ were paid. Paying twice would be as wrong.
            llInstantMessage(llGetOwner(), "Vendor: a payment of L$ " + llGetSubString(value, 37, -1) + " to secondlife:///app/agent/"
                + llGetSubString(value, 1, 36) + "/about was under way when the region stopped. Check your transactions, and pay it if it is not there.");
            llLinksetDataDelete(entry);
        }
    }
    if (llGetListLength(open) > 0 || gBuyer != NULL_KEY) llSetTimerEvent(TICK);
    else llSetTimerEvent(0.0);
}

giveBack(string entry, string value)
{
    if (llLinksetDataWrite(entry, "P" + llDeleteSubString(value, 0, 0)) != LINKSETDATA_OK) return;
    gPayment = entry;
    gTransaction = llTransferLindenDollars((key)llGetSubString(value, 1, 36), (integer)llGetSubString(value, 37, -1));
}

// Notes what the buyer is to be given back, or that the sale is settled.
owe(string entry, string buyer, integer amount)
{
    if (amount > 0) llLinksetDataWrite(entry, "O" + buyer + (string)amount);
    else llLinksetDataDelete(entry);
}

saleAnswered(integer status, string body)
{
    string asked = llDeleteSubString(llLinksetDataRead(gSale), 0, 0);
    string buyer = llJsonGetValue(asked, ["buyerIdentifier"]);
    integer paid = (integer)llJsonGetValue(asked, ["paid"]);
    string result = llJsonGetValue(body, ["state"]);
    gSaleRequest = NULL_KEY;
    if (status == 201 && result != JSON_INVALID)
    {
        gTold = [];
        owe(gSale, buyer, (integer)llJsonGetValue(body, ["change"]));
        if (result == "refused") llRegionSayTo((key)buyer, 0, sentence(llJsonGetValue(body, ["refusal"])) + " You get your L$ back.");
        else llRegionSayTo((key)buyer, 0, "Thank you! " + gName + " is on its way.");
        settle();
        return;
    }
    if (status == 400 || status == 422)
    {
        complain("the service refused a sale: " + llJsonGetValue(body, ["detail"]));
        owe(gSale, buyer, paid);
        llRegionSayTo((key)buyer, 0, "This sale cannot be made. You get your L$ back.");
        settle();
        return;
    }
    complain("the service answered a sale with " + (string)status + ". The sale is kept and tried again. If this stays: check the key in the notecard, and its scope sales:write.");
}

string baseUrl(string text)
{
    while (llGetSubString(text, -1, -1) == "/") text = llDeleteSubString(text, -1, -1);
    if (llGetSubString(text, -3, -1) == "/v1") text = llDeleteSubString(text, -3, -1);
    return text;
}

readLine(string line)
{
    integer equals = llSubStringIndex(line, "=");
    if (equals < 1) return;
    string name = llToLower(llStringTrim(llGetSubString(line, 0, equals - 1), STRING_TRIM));
    string value = llStringTrim(llDeleteSubString(line, 0, equals), STRING_TRIM);
    if (name == "service") gService = baseUrl(value);
    if (name == "key") gKey = value;
    if (name == "product") gProduct = value;
}

askProduct()
{
    gProductRequest = llHTTPRequest(gService + "/v1/products/" + gProduct,
        [HTTP_METHOD, "GET", HTTP_BODY_MAXLENGTH, 6144, HTTP_CUSTOM_HEADER, "X-API-Key", gKey], "");
}

productAnswered(integer status, string body)
{
    string name = llJsonGetValue(body, ["name"]);
    if (status == 404) complain("the service has no product with the UUID in the notecard. Correct its line \"product\".");
    else if (status == 415) complain("the service does not accept the key in the notecard, or it lacks the scope products:read. Ask the operator for one with the preset vendor.");
    else if (status != 200) complain("the service answered " + (string)status + ". Touch the vendor to try again.");
    else if (name == JSON_INVALID) complain("the product's description is too long for this script. Shorten it.");
    else
    {
        gName = name;
        gPrice = (integer)llJsonGetValue(body, ["activePrice"]);
        gReady = TRUE;
        showPrice(gPrice);
        settle();
    }
}

default
{
    state_entry()
    {
        showPrice(0);
        if (llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD)
        {
            complain("put a notecard named \"" + NOTECARD + "\" into this object.");
            return;
        }
        gNotecard = llGetInventoryKey(NOTECARD);
        gLineQuery = llGetNotecardLine(NOTECARD, gLine);
    }

    on_rez(integer start)
    {
        llResetScript();
    }

    dataserver(key query, string data)
    {
        if (query != gLineQuery) return;
        if (data != EOF)
        {
            readLine(data);
            ++gLine;
            gLineQuery = llGetNotecardLine(NOTECARD, gLine);
            return;
        }
        if (gService == "" || gKey == "" || gProduct == "")
        {
            complain("the notecard lacks its line \"service = ...\", \"key = ...\" or \"product = ...\".");
            return;
        }
        if (llToLower(llGetSubString(gService, 0, 7)) != "https://")
        {
            gService = "";
            complain("the address of the service must begin with https://. Correct it in the notecard.");
            return;
        }
        llOwnerSay("Vendor: please allow it to give L$ back from your account. It pays nothing but change, and what buyers paid for a sale that was refused.");
        llRequestPermissions(llGetOwner(), PERMISSION_DEBIT);
        askProduct();
    }

    run_time_permissions(integer permissions)
    {
        if (!(permissions & PERMISSION_DEBIT)) complain("without the permission to give L$ back it sells nothing. Reset the script to be asked again.");
        showPrice(gPrice);
        settle();
    }

    touch_start(integer count)
    {
        key who = llDetectedKey(0);
        if (!gReady && gService != "") askProduct();
        if (!maySell()) llRegionSayTo(who, 0, "This vendor is not ready. Please try again later.");
        else if (gBuyer != NULL_KEY && gBuyer != who && llGetUnixTime() <= gUntil)
            llRegionSayTo(who, 0, "Somebody else is choosing. Please wait a moment.");
        else startSession(who);
    }

    listen(integer channel, string name, key id, string text)
    {
        if (id != gBuyer || llGetUnixTime() > gUntil) return;
        if (gMenu == "confirm" && text == "Confirm")
        {
            sell(id, 0);
            return;
        }
        if (gMenu == "name")
        {
            gMenu = "";
            gRecipient = llReplaceSubString(llToLower(llStringTrim(text, STRING_TRIM)), " ", ".", 0);
            askQuote();
            return;
        }
        if (gMenu != "menu" || text == "Cancel")
        {
            endSession();
            return;
        }
        gMenu = "";
        if (text == "Gift")
        {
            gMenu = "name";
            llTextBox(id, "The username of whom it is for:", gChannel);
            return;
        }
        gUseCredit = text == "Use credit";
        askQuote();
    }

    money(key buyer, integer amount)
    {
        sell(buyer, amount);
    }

    http_response(key request, integer status, list metadata, string body)
    {
        if (request == NULL_KEY) return;
        if (request == gProductRequest) productAnswered(status, body);
        else if (request == gSaleRequest) saleAnswered(status, body);
        else if (request == gQuoteRequest)
        {
            gQuoteRequest = NULL_KEY;
            quoteAnswered(status, body);
        }
    }

    transaction_result(key id, integer success, string data)
    {
        if (id != gTransaction) return;
        if (success) llLinksetDataDelete(gPayment);
        else
        {
            llLinksetDataWrite(gPayment, "O" + llDeleteSubString(llLinksetDataRead(gPayment), 0, 0));
            complain("L$ could not be given back: " + data + ". See that your account has enough. It is tried again.");
        }
        gPayment = "";
        gTransaction = NULL_KEY;
        if (success) settle();
    }

    timer()
    {
        if (gBuyer != NULL_KEY && llGetUnixTime() > gUntil) endSession();
        settle();
    }

    changed(integer change)
    {
        if (change & CHANGED_OWNER) llResetScript();
        if (change & CHANGED_REGION_START)
        {
            // A request that was under way is never answered. A sale is sent again once its time is over.
            // Nor does the line of the notecard come that it waited for.
            if (!gReady && gTold == []) llResetScript();
            gTransaction = NULL_KEY;
            gPayment = "";
            endSession();
            settle();
        }
        if (change & CHANGED_INVENTORY && llGetInventoryKey(NOTECARD) != gNotecard) llResetScript();
    }
}
